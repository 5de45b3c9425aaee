/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_look.c - how long a process looks before it sleeps
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libatmi/waking/look.h"

#define US    UINT64_C(1000)
#define MS    (1000 * US)
#define SHORT (20 * US) /* a wait that a look would have ended */
#define LONG  (10 * MS)
#define LET_RUN (k->look_alone_ns + 1) /* a yield that let others run */
#define FEW	(k->look_pause_min)

static const struct ow_waking *k = &ow_waking_defaults;

/* Waits that took `ns`, and were not ended by a look: looks. */
static int wait_often(struct ow_look *l, int waits, uint64_t ns)
{
	enum ow_look_step step;
	int looks = 0;

	while (waits-- > 0) {
		step = ow_look_begin(l, k);
		looks += step == OW_LOOK;
		if (step != OW_LOOK_NOT)
			ow_look_learn(l, k, ns);
	}
	return looks;
}

/* Waits without a look, until the next one with a look. */
static uint32_t skipped(struct ow_look *l)
{
	uint32_t n = 0;

	while (ow_look_begin(l, k) != OW_LOOK)
		n++;
	return n;
}

static void a_new_process_does_not_look(void **state)
{
	struct ow_look l = { 0 };

	assert_int_not_equal(ow_look_begin(&l, k), OW_LOOK);
}

static void one_wait_in_eight_is_measured(void **state)
{
	struct ow_look l = { 0 };
	int i, measured = 0;

	for (i = 0; i < 80; i++)
		measured += ow_look_begin(&l, k) == OW_LOOK_MEASURE;
	assert_int_equal(measured, 10);
}

static void short_waits_raise_the_limit_up_to_them(void **state)
{
	struct ow_look l = { 0 };

	wait_often(&l, 8, SHORT);
	assert_int_equal(l.limit_ns, 5 * US);
	wait_often(&l, 1, SHORT);
	assert_int_equal(l.limit_ns, 10 * US);
	wait_often(&l, 100, SHORT);
	assert_int_equal(l.limit_ns, 20 * US);
}

static void the_limit_is_never_above_the_greatest(void **state)
{
	struct ow_look l = { 0 };

	wait_often(&l, 1000, k->look_max_ns);
	assert_int_equal(l.limit_ns, k->look_max_ns);
}

static void four_long_waits_end_the_looks(void **state)
{
	struct ow_look l = { .limit_ns = 50 * US };

	assert_int_equal(wait_often(&l, 100, LONG), 4);
	assert_int_equal(l.limit_ns, 0);
}

static void a_yield_that_lets_others_run_skips_looks(void **state)
{
	struct ow_look l = { .limit_ns = 50 * US };

	assert_false(ow_look_is_alone(&l, k, LET_RUN));
	assert_int_equal(skipped(&l), FEW);
	assert_false(ow_look_is_alone(&l, k, LET_RUN));
	assert_int_equal(skipped(&l), 2 * FEW);
}

static void yields_alone_shorten_the_pause_again(void **state)
{
	struct ow_look l = { .limit_ns = 50 * US };
	int i;

	for (i = 0; i < 3; i++)
		ow_look_is_alone(&l, k, LET_RUN);
	assert_int_equal(skipped(&l), 4 * FEW);
	assert_true(ow_look_is_alone(&l, k, US));
	assert_true(ow_look_is_alone(&l, k, US));
	ow_look_is_alone(&l, k, LET_RUN);
	assert_int_equal(skipped(&l), 2 * FEW);
}

static void the_pause_is_bounded(void **state)
{
	struct ow_look l = { .limit_ns = 50 * US };
	int i;

	for (i = 0; i < 40; i++)
		ow_look_is_alone(&l, k, LET_RUN);
	assert_int_equal(skipped(&l), OW_WAKING_LOOK_PAUSE);
}

static void a_time_slice_given_away_makes_the_pause_longer(void **state)
{
	struct ow_look l = { .limit_ns = 50 * US };
	int i;

	for (i = 0; i < 40; i++)
		ow_look_is_alone(&l, k, 3 * MS);
	assert_int_equal(skipped(&l), k->yield_pause_max);
	/* A short one does not make it shorter. */
	ow_look_is_alone(&l, k, LET_RUN);
	assert_int_equal(skipped(&l), k->yield_pause_max);
}

static void a_lost_cpu_counts_as_wanted(void **state)
{
	struct ow_look l = { .limit_ns = 50 * US };

	assert_false(ow_look_lost_cpu(&l, k, k->look_gap_ns));
	assert_true(ow_look_lost_cpu(&l, k, k->look_gap_ns + 1));
	assert_int_equal(skipped(&l), FEW);
}

static void without_a_greatest_length_nobody_looks(void **state)
{
	struct ow_look l = { .limit_ns = 50 * US };
	struct ow_waking none = *k;

	none.look_max_ns = 0;
	assert_int_equal(ow_look_begin(&l, &none), OW_LOOK_NOT);
}

/* ---- what the domain allows ---- */

static void a_look_in_vain_costs_five_times_its_length(void **state)
{
	assert_int_equal(ow_look_charge(k, 20, false, 10 * US), 50 * US);
	assert_int_equal(ow_look_charge(k, 100, false, 10 * US), 10 * US);
}

static void a_hit_costs_what_it_took_beyond_a_sleep(void **state)
{
	assert_int_equal(ow_look_charge(k, 20, true, OW_WAKING_SLEEP_COST_NS),
			 0);
	assert_int_equal(ow_look_charge(k, 20, true, US), 0);
	assert_int_equal(
	    ow_look_charge(k, 20, true, OW_WAKING_SLEEP_COST_NS + 10 * US),
	    50 * US);
}

static void nobody_looks_while_looks_are_paid_for_ten_ms_ahead(void **state)
{
	assert_true(ow_look_is_paid(k, 0, 100 * MS));
	assert_true(ow_look_is_paid(k, 110 * MS, 100 * MS));
	assert_false(ow_look_is_paid(k, 110 * MS + 1, 100 * MS));
}

static void a_machine_with_one_cpu_has_no_seat(void **state)
{
	assert_int_equal(ow_look_seats(0), 0);
	assert_int_equal(ow_look_seats(1), 0);
	assert_int_equal(ow_look_seats(2), 1);
	assert_int_equal(ow_look_seats(128), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_process_does_not_look),
		cmocka_unit_test(one_wait_in_eight_is_measured),
		cmocka_unit_test(short_waits_raise_the_limit_up_to_them),
		cmocka_unit_test(the_limit_is_never_above_the_greatest),
		cmocka_unit_test(four_long_waits_end_the_looks),
		cmocka_unit_test(a_yield_that_lets_others_run_skips_looks),
		cmocka_unit_test(yields_alone_shorten_the_pause_again),
		cmocka_unit_test(the_pause_is_bounded),
		cmocka_unit_test(
		    a_time_slice_given_away_makes_the_pause_longer),
		cmocka_unit_test(a_lost_cpu_counts_as_wanted),
		cmocka_unit_test(without_a_greatest_length_nobody_looks),
		cmocka_unit_test(a_look_in_vain_costs_five_times_its_length),
		cmocka_unit_test(a_hit_costs_what_it_took_beyond_a_sleep),
		cmocka_unit_test(
		    nobody_looks_while_looks_are_paid_for_ten_ms_ahead),
		cmocka_unit_test(a_machine_with_one_cpu_has_no_seat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
