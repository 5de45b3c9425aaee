/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_yield.c - when a caller steps aside before it sleeps
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "libatmi/transport/yield.h"

/* Waits that do not step aside until the next one that does. */
static uint32_t skipped(struct ow_yield *p)
{
	uint32_t n = 0;

	while (!ow_yield_begin(p))
		n++;
	return n;
}

static void cost_a_lot(void)
{
	struct timespec ts = { .tv_nsec = 1000000 };

	nanosleep(&ts, NULL);
}

static void what_pays_goes_on(void **state)
{
	struct ow_yield p = { 0 };
	int i, done = 0;

	for (i = 0; i < 1000; i++)
		if (ow_yield_begin(&p)) {
			ow_yield_end(&p, true);
			done++;
		}
	/* Even if we lost the CPU for a slice in the middle of one. */
	assert_true(done > 800);
}

static void what_costs_a_slice_pauses_twice_as_long_each_time(void **state)
{
	struct ow_yield p = { 0 };
	uint32_t pause = 64;
	int i;

	assert_true(ow_yield_begin(&p));
	for (i = 0; i < 12; i++) {
		cost_a_lot();
		ow_yield_end(&p, true);
		assert_int_equal(skipped(&p), pause);
		pause = pause < 65536 ? 2 * pause : 65536;
	}
}

static void what_costs_nothing_for_long_is_trusted_again(void **state)
{
	struct ow_yield p = { 0 };
	int i;

	assert_true(ow_yield_begin(&p));
	cost_a_lot();
	ow_yield_end(&p, true);
	for (i = 0; i < 100000 && p.pause != 0; i++)
		if (ow_yield_begin(&p))
			ow_yield_end(&p, true);
	assert_int_equal(p.pause, 0);
}

static void what_does_not_pay_is_tried_now_and_then(void **state)
{
	struct ow_yield p = { 0 };
	int i, done = 0;

	for (i = 0; i < 1600; i++)
		if (ow_yield_begin(&p)) {
			ow_yield_end(&p, false);
			done++;
		}
	assert_in_range(done, 1, 130);
	skipped(&p);
	ow_yield_end(&p, true);
	assert_true(skipped(&p) < 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_pays_goes_on),
		cmocka_unit_test(
		    what_costs_a_slice_pauses_twice_as_long_each_time),
		cmocka_unit_test(what_costs_nothing_for_long_is_trusted_again),
		cmocka_unit_test(what_does_not_pay_is_tried_now_and_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
