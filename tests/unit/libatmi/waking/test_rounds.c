/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_rounds.c - when a busy server reads the clock
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libatmi/waking/rounds.h"

static const struct ow_waking *k = &ow_waking_defaults;

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
		cmocka_unit_test(
		    the_clock_is_read_each_32_rounds_and_after_slow_services),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
