/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_waits.c - which servers wait while they serve
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libatmi/waking/waits.h"

#define SHORT UINT64_C(2000)
#define LONG  UINT64_C(1000000)

static const struct ow_waking *k = &ow_waking_defaults;

/* Requests of `ns` with so many switches, until l->waits changes, or 100. */
static int serve(struct ow_waits *l, uint64_t ns, long switches)
{
	int n = 0;

	while (n++ < 100)
		if (ow_waits_served(l, k, ns, l->counts ? switches : 0))
			return n;
	return n;
}

static void a_server_whose_services_wait_is_known_after_seven(void **state)
{
	struct ow_waits l = { 0 };

	/* The first only says that the next is worth counting. */
	assert_int_equal(serve(&l, LONG, 1), 7);
	assert_true(l.waits);
	assert_int_equal(serve(&l, LONG, 3), 101);
	assert_true(l.waits);
}

static void one_that_computes_does_not_wait(void **state)
{
	struct ow_waits l = { 0 };

	assert_int_equal(serve(&l, LONG, 0), 101);
	assert_false(l.waits);
	assert_int_equal(l.score, 0);
}

static void nothing_is_counted_of_short_services(void **state)
{
	struct ow_waits l = { 0 };

	assert_int_equal(serve(&l, SHORT, 1), 101);
	assert_false(l.waits);
	assert_false(l.counts);
}

static void a_server_that_waits_no_more_is_known_again(void **state)
{
	struct ow_waits l = { 0 };

	serve(&l, LONG, 1);
	assert_in_range(serve(&l, SHORT, 0), 4, 6);
	assert_false(l.waits);
	serve(&l, LONG, 1);
	assert_true(l.waits);
	assert_in_range(serve(&l, LONG, 0), 4, 100);
	assert_false(l.waits);
}

static void one_wait_of_a_hundred_changes_nothing(void **state)
{
	struct ow_waits l = { 0 };
	int i;

	for (i = 0; i < 10000; i++)
		assert_false(ow_waits_served(&l, k, i % 100 ? SHORT : LONG,
					     i % 100 ? 0 : 1));
}

static void one_of_sixteen_is_counted_once_it_is_known(void **state)
{
	struct ow_waits l = { 0 };
	int i, counted = 0;

	serve(&l, LONG, 1);
	serve(&l, LONG, 1);
	for (i = 0; i < 1600; i++) {
		counted += l.counts;
		ow_waits_served(&l, k, LONG, 1);
	}
	assert_in_range(counted, 99, 101);
}

static void half_of_each_does_not_change_often(void **state)
{
	struct ow_waits l = { 0 };
	int i, changes = 0;

	for (i = 0; i < 1000; i++)
		changes += ow_waits_served(&l, k, LONG, l.counts && i % 2);
	assert_in_range(changes, 0, 1);
}

/* One of ten is short, at random. */
static void a_few_short_ones_do_not_change_it(void **state)
{
	struct ow_waits l = { 0 };
	uint32_t seed = 1;
	bool is_short;
	int i, changes = 0;

	for (i = 0; i < 10000; i++) {
		seed = seed * 1664525 + 1013904223;
		is_short = (seed >> 16) % 10 == 0;
		changes += ow_waits_served(&l, k, is_short ? SHORT : LONG,
					   l.counts && !is_short);
	}
	assert_true(l.waits);
	assert_int_equal(changes, 1);
}

/* What was counted before them says nothing. */
static void after_short_ones_waits_are_known_as_soon(void **state)
{
	struct ow_waits l;
	int n, i;

	for (n = 40; n < 40 + (int)OW_WAITS_EACH; n++) {
		l = (struct ow_waits){ 0 };
		for (i = 0; i < n; i++)
			ow_waits_served(&l, k, LONG, l.counts);
		serve(&l, SHORT, 0);
		assert_false(l.waits);
		assert_in_range(serve(&l, LONG, 1), 4, 7);
		assert_true(l.waits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_server_whose_services_wait_is_known_after_seven),
		cmocka_unit_test(one_that_computes_does_not_wait),
		cmocka_unit_test(nothing_is_counted_of_short_services),
		cmocka_unit_test(a_server_that_waits_no_more_is_known_again),
		cmocka_unit_test(one_wait_of_a_hundred_changes_nothing),
		cmocka_unit_test(one_of_sixteen_is_counted_once_it_is_known),
		cmocka_unit_test(half_of_each_does_not_change_often),
		cmocka_unit_test(a_few_short_ones_do_not_change_it),
		cmocka_unit_test(after_short_ones_waits_are_known_as_soon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
