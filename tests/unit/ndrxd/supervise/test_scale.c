/* SPDX-License-Identifier: Apache-2.0 */
/* test_scale.c - when <autoscale> adds and removes instances */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libndrx/config/config.h"
#include "ndrxd/supervise/scale.h"

static const struct ow_config_scale policy = {
	.wait_ms = 50, .after_ms = 1000, .calm_ms = 5000
};

struct walk {
	struct ow_scale s;
	struct ow_scale_sample sample;
};

/* 100 ms pass; `n` requests are taken that waited `ms` each. */
static int step(struct walk *w, uint64_t n, uint64_t ms)
{
	w->sample.now += 100;
	w->sample.taken += n;
	w->sample.wait_us += n * ms * 1000;
	return ow_scale_decide(&w->s, &policy, &w->sample);
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

static void waits_above_the_threshold_add_an_instance(void **state)
{
	struct walk w = { .sample = { .now = 1000 } };
	int r = 0;

	assert_int_equal(steps_until(&w, 10, 60, 100, &r), 11);
	assert_int_equal(r, 1);
	/* Unchanged: another one after the same time. */
	assert_int_equal(steps_until(&w, 10, 60, 100, &r), 10);
	assert_int_equal(r, 1);
}

static void short_peak_adds_no_instance(void **state)
{
	struct walk w = { .sample = { .now = 1000 } };
	int i, r = 0;

	for (i = 0; i < 20; i++) {
		assert_int_equal(steps_until(&w, 10, 60, 9, &r), -1);
		assert_int_equal(step(&w, 10, 30), 0);
	}
}

static void untaken_requests_count_as_waiting_too_long(void **state)
{
	struct walk w = { .sample = { .now = 1000, .waiting = 3,
				    .all_busy = true } };
	int r = 0;

	assert_int_equal(steps_until(&w, 0, 0, 100, &r), 11);
	assert_int_equal(r, 1);
}

static void calm_time_removes_an_instance(void **state)
{
	struct walk w = { .sample = { .now = 1000 } };
	int r = 0;

	assert_int_equal(steps_until(&w, 5, 12, 100, &r), 51);
	assert_int_equal(r, -1);
	assert_int_equal(steps_until(&w, 0, 0, 100, &r), 50);
	assert_int_equal(r, -1);
}

static void between_the_thresholds_nothing_changes(void **state)
{
	struct walk w = { .sample = { .now = 1000 } };
	int r = 0;

	assert_int_equal(steps_until(&w, 5, 30, 1000, &r), -1);
	/* Calm so far, but requests are waiting. */
	w.sample.waiting = 1;
	assert_int_equal(steps_until(&w, 5, 1, 1000, &r), -1);
}

static void shrinking_sums_are_no_load(void **state)
{
	struct walk w = { .sample = { .now = 1000 } };

	step(&w, 1000, 10);
	w.sample.taken = 3; /* an instance left */
	w.sample.wait_us = 3000;
	assert_int_equal(step(&w, 0, 0), 0);
	assert_int_equal(w.s.t_over, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    waits_above_the_threshold_add_an_instance),
		cmocka_unit_test(short_peak_adds_no_instance),
		cmocka_unit_test(untaken_requests_count_as_waiting_too_long),
		cmocka_unit_test(calm_time_removes_an_instance),
		cmocka_unit_test(between_the_thresholds_nothing_changes),
		cmocka_unit_test(shrinking_sums_are_no_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
