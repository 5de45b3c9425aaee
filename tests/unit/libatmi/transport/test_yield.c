/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_yield.c - when a caller yields before it sleeps
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "libatmi/transport/yield.h"

/* Waits without a yield, until the next one with a yield. */
static uint32_t skipped(struct ow_yield *p)
{
	uint32_t n = 0;

	while (!ow_yield_begin(p))
		n++;
	return n;
}

static void be_costly(void)
{
	struct timespec ts = { .tv_nsec = 1000000 };

	nanosleep(&ts, NULL);
}

static void yields_go_on_while_they_find_the_reply(void **state)
{
	struct ow_yield p = { 0 };
	int i, done = 0;

	for (i = 0; i < 1000; i++)
		if (ow_yield_begin(&p)) {
			ow_yield_end(&p, true);
			done++;
		}
	/* Fewer than 1000, for this process may lose its CPU in a yield. */
	assert_true(done > 800);
}

static void each_costly_yield_doubles_the_pause(void **state)
{
	struct ow_yield p = { 0 };
	uint32_t pause = 64;
	int i;

	assert_true(ow_yield_begin(&p));
	for (i = 0; i < 12; i++) {
		be_costly();
		ow_yield_end(&p, true);
		assert_int_equal(skipped(&p), pause);
		pause = pause < 65536 ? 2 * pause : 65536;
	}
}

static void cheap_yields_end_the_pauses(void **state)
{
	struct ow_yield p = { 0 };
	int i;

	assert_true(ow_yield_begin(&p));
	be_costly();
	ow_yield_end(&p, true);
	for (i = 0; i < 100000 && p.pause != 0; i++)
		if (ow_yield_begin(&p))
			ow_yield_end(&p, true);
	assert_int_equal(p.pause, 0);
}

static void one_wait_in_sixteen_yields_while_yields_are_in_vain(void **state)
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
		cmocka_unit_test(yields_go_on_while_they_find_the_reply),
		cmocka_unit_test(
		    each_costly_yield_doubles_the_pause),
		cmocka_unit_test(cheap_yields_end_the_pauses),
		cmocka_unit_test(
		    one_wait_in_sixteen_yields_while_yields_are_in_vain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
