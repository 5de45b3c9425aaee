/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_yield.c - when a caller yields before it sleeps, and how long it sleeps
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libatmi/waking/yield.h"

#define CHEAP  UINT64_C(300)
#define COSTLY UINT64_C(3000000)

static const struct ow_waking *k = &ow_waking_defaults;

/* Waits without a yield, until the next one with a yield. */
static uint32_t skipped(struct ow_yield *p)
{
	uint32_t n = 0;

	while (ow_yield_begin(p, k) == OW_YIELD_NOT)
		n++;
	return n;
}

/* `waits` waits, whose yields take `ns`: the number of yields. */
static int wait_often(struct ow_yield *p, int waits, uint64_t ns)
{
	enum ow_yield_step step;
	int yields = 0;

	while (waits-- > 0) {
		step = ow_yield_begin(p, k);
		if (step == OW_YIELD_NOT)
			continue;
		yields++;
		if (step == OW_YIELD_TIMED)
			ow_yield_end(p, k, ns);
	}
	return yields;
}

static void yields_go_on_while_they_are_cheap(void **state)
{
	struct ow_yield p = { 0 };

	assert_int_equal(wait_often(&p, 1000, CHEAP), 1000);
}

static void a_new_caller_yields_once_a_short_service_has_answered(void **state)
{
	struct ow_yield p;

	ow_yield_init(&p);
	assert_int_equal(wait_often(&p, 10, CHEAP), 0);
	ow_yield_replied(&p, true);
	assert_int_equal(wait_often(&p, 10, CHEAP), 0);
	ow_yield_init(&p);
	ow_yield_replied(&p, false);
	assert_int_equal(wait_often(&p, 10, CHEAP), 10);
}

static void after_64_cheap_yields_one_in_16_is_timed(void **state)
{
	struct ow_yield p = { 0 };
	int i, timed = 0;

	assert_int_equal(wait_often(&p, 64, CHEAP), 64);
	for (i = 0; i < 1600; i++) {
		timed += ow_yield_begin(&p, k) == OW_YIELD_TIMED;
	}
	assert_int_equal(timed, 100);
}

/* Until the mean says so. */
static void become_costly(struct ow_yield *p)
{
	int yields = 0;

	while (p->pause == 0) {
		assert_int_not_equal(ow_yield_begin(p, k), OW_YIELD_NOT);
		ow_yield_end(p, k, COSTLY);
		yields++;
	}
	assert_in_range(yields, 2, 8);
	skipped(p);
}

static void one_costly_yield_in_twenty_does_no_harm(void **state)
{
	struct ow_yield p = { 0 };
	int i;

	for (i = 0; i < 100; i++) {
		assert_int_equal(wait_often(&p, 1, COSTLY), 1);
		assert_int_equal(wait_often(&p, 19, CHEAP), 19);
	}
}

static void half_of_them_costly_are_too_many(void **state)
{
	struct ow_yield p = { 0 };
	int i, yields = 0;

	for (i = 0; i < 1000; i++)
		yields += wait_often(&p, 1, i % 2 ? COSTLY : CHEAP);
	assert_in_range(yields, 1, 50);
}

static void each_costly_yield_doubles_the_pause(void **state)
{
	struct ow_yield p = { 0 };
	uint32_t pause = 128;
	int i;

	become_costly(&p);
	for (i = 0; i < 12; i++) {
		ow_yield_end(&p, k, COSTLY);
		assert_int_equal(skipped(&p), pause);
		pause = pause < 65536 ? 2 * pause : 65536;
	}
}

static void sixty_four_cheap_yields_end_the_pauses(void **state)
{
	struct ow_yield p = { 0 };

	become_costly(&p);
	ow_yield_end(&p, k, COSTLY);
	skipped(&p);
	ow_yield_end(&p, k, CHEAP);
	wait_often(&p, 62, CHEAP);
	assert_int_equal(p.pause, 128);
	wait_often(&p, 1, CHEAP);
	assert_int_equal(p.pause, 0);
}

/* Waits whose yields find the reply each `every`th time, 0: never, until so
 * many have yielded. How many came without a yield? */
static int wait_in_vain(struct ow_yield *p, int yielded, int every)
{
	int without = 0, n = 0;

	while (n < yielded) {
		if (ow_yield_begin(p, k) == OW_YIELD_NOT) {
			without++;
			continue;
		}
		n++;
		ow_yield_found(p, k, every != 0 && n % every == 0);
	}
	return without;
}

static void yields_that_find_nothing_pause(void **state)
{
	struct ow_yield p = { 0 };
	uint32_t pause;

	assert_in_range(wait_in_vain(&p, 200, 0), 64, 200000);
	for (pause = p.miss_pause; pause < 1024; pause = p.miss_pause) {
		skipped(&p);
		ow_yield_found(&p, k, false);
		assert_int_equal(p.miss_pause, 2 * pause);
	}
	skipped(&p);
	ow_yield_found(&p, k, false);
	assert_int_equal(p.miss_pause, 1024);
}

static void yields_that_find_one_reply_of_four_go_on(void **state)
{
	struct ow_yield p = { 0 };

	assert_int_equal(wait_in_vain(&p, 10000, 4), 0);
}

static void replies_that_are_found_again_end_the_pauses(void **state)
{
	struct ow_yield p = { 0 };

	wait_in_vain(&p, 100, 0);
	assert_int_not_equal(p.miss_pause, 0);
	wait_in_vain(&p, 12, 1);
	assert_int_equal(p.miss_pause, 0);
}

static void a_long_pause_is_not_cut_short(void **state)
{
	struct ow_yield p = { .skip = 5000, .misses = OW_YIELD_ALL };

	ow_yield_found(&p, k, false);
	assert_int_equal(skipped(&p), 5000);
}

static void after_three_long_services_callers_do_not_yield(void **state)
{
	struct ow_yield p = { 0 };
	int i;

	for (i = 0; i < 3; i++) {
		assert_int_not_equal(ow_yield_begin(&p, k), OW_YIELD_NOT);
		ow_yield_replied(&p, ow_yield_is_long(k, 5000));
	}
	for (i = 0; i < 1000; i++) {
		assert_int_equal(ow_yield_begin(&p, k), OW_YIELD_NOT);
		ow_yield_replied(&p, true);
	}
	ow_yield_replied(&p, ow_yield_is_long(k, 4999));
	assert_int_equal(ow_yield_begin(&p, k), OW_YIELD_NOT);
	ow_yield_replied(&p, false);
	assert_int_not_equal(ow_yield_begin(&p, k), OW_YIELD_NOT);
}

static void one_long_service_of_four_does_no_harm(void **state)
{
	struct ow_yield p = { 0 };
	int i;

	for (i = 0; i < 1000; i++) {
		assert_int_not_equal(ow_yield_begin(&p, k), OW_YIELD_NOT);
		ow_yield_replied(&p, i % 4 == 0);
	}
}

static void nudges_come_after_23_ms_and_then_less_often(void **state)
{
	static const uint64_t ms[] = { 23, 46, 92, 184, 368, 736, 1472, 1472 };
	uint64_t gap = k->nudge_ns;
	size_t i;

	for (i = 0; i < sizeof(ms) / sizeof(ms[0]); i++) {
		assert_int_equal(gap, ms[i] * 1000000);
		gap = ow_waking_nudge_gap(gap);
	}
}

static void senders_have_room_when_a_quarter_of_the_queue_is_free(void **state)
{
	assert_true(ow_waking_has_room(k, 100, 75));
	assert_false(ow_waking_has_room(k, 100, 76));
	assert_true(ow_waking_has_room(k, 3, 2));
	assert_false(ow_waking_has_room(k, 3, 3));
	assert_true(ow_waking_has_room(k, 1, 0));
	assert_false(ow_waking_has_room(k, 1, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_new_caller_yields_once_a_short_service_has_answered),
		cmocka_unit_test(yields_go_on_while_they_are_cheap),
		cmocka_unit_test(after_64_cheap_yields_one_in_16_is_timed),
		cmocka_unit_test(one_costly_yield_in_twenty_does_no_harm),
		cmocka_unit_test(half_of_them_costly_are_too_many),
		cmocka_unit_test(each_costly_yield_doubles_the_pause),
		cmocka_unit_test(sixty_four_cheap_yields_end_the_pauses),
		cmocka_unit_test(yields_that_find_nothing_pause),
		cmocka_unit_test(yields_that_find_one_reply_of_four_go_on),
		cmocka_unit_test(replies_that_are_found_again_end_the_pauses),
		cmocka_unit_test(a_long_pause_is_not_cut_short),
		cmocka_unit_test(
		    after_three_long_services_callers_do_not_yield),
		cmocka_unit_test(one_long_service_of_four_does_no_harm),
		cmocka_unit_test(nudges_come_after_23_ms_and_then_less_often),
		cmocka_unit_test(
		    senders_have_room_when_a_quarter_of_the_queue_is_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
