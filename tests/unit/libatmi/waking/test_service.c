/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_service.c - when the services of a queue count as short
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libatmi/waking/service.h"

static const struct ow_waking *k = &ow_waking_defaults;

static enum ow_waking_services served(uint32_t *in_a_row, uint64_t ns,
				      bool called, int times)
{
	enum ow_waking_services are = OW_WAKING_UNCLEAR;

	while (times-- > 0)
		are = ow_waking_served(k, in_a_row, ns, called);
	return are;
}

static void sixteen_short_services_in_a_row_are_short(void **state)
{
	uint32_t n = 0;

	assert_int_equal(served(&n, 19999, false, 15), OW_WAKING_UNCLEAR);
	assert_int_equal(served(&n, 19999, false, 1), OW_WAKING_SHORT);
	assert_int_equal(served(&n, 19999, false, 100), OW_WAKING_SHORT);
}

static void one_long_service_is_an_exception_two_are_not(void **state)
{
	uint32_t n = 0;

	served(&n, 0, false, 16);
	assert_int_equal(served(&n, 20000, false, 1), OW_WAKING_UNCLEAR);
	assert_int_equal(served(&n, 20000, false, 1), OW_WAKING_LONG);
	served(&n, 0, false, 16);
	served(&n, 20000, false, 1);
	assert_int_equal(served(&n, 0, false, 15), OW_WAKING_SHORT);
}

static void a_service_that_calls_others_is_not_short(void **state)
{
	uint32_t n = 0;

	assert_int_equal(served(&n, 0, true, 100), OW_WAKING_LONG);
	served(&n, 0, false, 16);
	assert_int_equal(served(&n, 0, true, 2), OW_WAKING_LONG);
}

static void the_clock_is_read_each_32_rounds_and_after_slow_services(
    void **state)
{
	uint32_t i, rounds = 0, due = 0;

	for (i = 0; i < 320; i++)
		due += ow_waking_clock_due(k, &rounds);
	assert_int_equal(due, 10);
	assert_true(ow_waking_clock_due(k, &rounds));
	assert_false(ow_waking_clock_due(k, &rounds));
	rounds = 0;
	assert_true(ow_waking_clock_due(k, &rounds));
	assert_true(ow_waking_was_slow(k, 1000000));
	assert_false(ow_waking_was_slow(k, 999999));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sixteen_short_services_in_a_row_are_short),
		cmocka_unit_test(one_long_service_is_an_exception_two_are_not),
		cmocka_unit_test(a_service_that_calls_others_is_not_short),
		cmocka_unit_test(
		    the_clock_is_read_each_32_rounds_and_after_slow_services),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
