/* SPDX-License-Identifier: Apache-2.0 */
/* test_scale.c - when another instance is due, and when one too many runs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ndrxd/config/config.h"
#include "ndrxd/supervise/scale.h"

static const struct ow_config_scale policy = {
	.wait_ms = 50, .after_ms = 1000, .calm_ms = 5000
};

struct walk {
	struct ow_scale s;
	struct ow_scale_sample look;
};

/* 100 ms pass; `n` requests are taken that waited `ms` each. */
static int step(struct walk *w, uint64_t n, uint64_t ms)
{
	w->look.now += 100;
	w->look.taken += n;
	w->look.wait_us += n * ms * 1000;
	return ow_scale_decide(&w->s, &policy, &w->look);
}

/* Steps until a decision that is not 0; -1: none in `max`. */
static int steps_until(struct walk *w, uint64_t n, uint64_t ms, int max,
		       int *ret_decision)
{
	int i;

	for (i = 1; i <= max; i++) {
		*ret_decision = step(w, n, ms);
		if (*ret_decision != 0)
			return i;
	}
	return -1;
}

static void long_waits_for_long_enough_ask_for_another_one(void **state)
{
	struct walk w = { .look = { .now = 1000 } };
	int r = 0;

	assert_int_equal(steps_until(&w, 10, 60, 100, &r), 11);
	assert_int_equal(r, 1);
	/* Still so: the next one, after the same time. */
	assert_int_equal(steps_until(&w, 10, 60, 100, &r), 10);
	assert_int_equal(r, 1);
}

static void a_short_peak_asks_for_nothing(void **state)
{
	struct walk w = { .look = { .now = 1000 } };
	int i, r = 0;

	for (i = 0; i < 20; i++) {
		assert_int_equal(steps_until(&w, 10, 60, 9, &r), -1);
		assert_int_equal(step(&w, 10, 30), 0);
	}
}

static void requests_that_nobody_takes_count_as_waiting(void **state)
{
	struct walk w = { .look = { .now = 1000, .waiting = 3,
				    .all_busy = true } };
	int r = 0;

	assert_int_equal(steps_until(&w, 0, 0, 100, &r), 11);
	assert_int_equal(r, 1);
}

static void calm_for_long_enough_gives_one_back(void **state)
{
	struct walk w = { .look = { .now = 1000 } };
	int r = 0;

	assert_int_equal(steps_until(&w, 5, 12, 100, &r), 51);
	assert_int_equal(r, -1);
	assert_int_equal(steps_until(&w, 0, 0, 100, &r), 50);
	assert_int_equal(r, -1);
}

static void between_the_thresholds_nothing_changes(void **state)
{
	struct walk w = { .look = { .now = 1000 } };
	int r = 0;

	assert_int_equal(steps_until(&w, 5, 30, 1000, &r), -1);
	/* Calm so far, but requests are waiting. */
	w.look.waiting = 1;
	assert_int_equal(steps_until(&w, 5, 1, 1000, &r), -1);
}

static void figures_that_shrink_are_not_a_flood(void **state)
{
	struct walk w = { .look = { .now = 1000 } };

	step(&w, 1000, 10);
	w.look.taken = 3; /* an instance left */
	w.look.wait_us = 3000;
	assert_int_equal(step(&w, 0, 0), 0);
	assert_int_equal(w.s.t_over, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    long_waits_for_long_enough_ask_for_another_one),
		cmocka_unit_test(a_short_peak_asks_for_nothing),
		cmocka_unit_test(requests_that_nobody_takes_count_as_waiting),
		cmocka_unit_test(calm_for_long_enough_gives_one_back),
		cmocka_unit_test(between_the_thresholds_nothing_changes),
		cmocka_unit_test(figures_that_shrink_are_not_a_flood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
