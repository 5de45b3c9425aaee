/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_standby.c - do enough servers of a service compute already?
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libatmi/waking/standby.h"

#define US  UINT64_C(1000)
#define MS  UINT64_C(1000000)
#define SEC UINT64_C(1000000000)

static const struct ow_waking *k = &ow_waking_defaults;

static void what_is_neither_cpu_time_nor_delay_was_waited(void **state)
{
	static const struct {
		struct ow_stretch stretch;
		enum ow_stretch_kind kind;
	} rows[] = {
		{ { 10 * MS, 10 * MS, 0 }, OW_STRETCH_COMPUTED },
		{ { 10 * MS, 1 * MS, 9 * MS }, OW_STRETCH_COMPUTED },
		{ { 10 * MS, 8 * MS, 1 * MS }, OW_STRETCH_COMPUTED },
		{ { 10 * MS, 8 * MS, 0 }, OW_STRETCH_WAITED },
		{ { 1 * MS, 10 * US, 50 * US }, OW_STRETCH_WAITED },
		/* Other services before: the last one may have waited. */
		{ { 1 * MS, 2 * MS, 1 * MS }, OW_STRETCH_UNKNOWN },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ow_stretch_kind(&rows[i].stretch) != rows[i].kind)
			fail_msg("row %zu", i);
}

static void what_waits_is_measured_seldom_what_is_short_never(void **state)
{
	assert_true(ow_standby_measures(k, 300 * US, MS, false));
	assert_false(ow_standby_measures(k, 300 * US, MS / 2, false));
	assert_false(ow_standby_measures(k, 100 * US, MS, false));
	assert_true(ow_standby_measures(k, 100 * US, 4 * MS, false));
	assert_false(ow_standby_measures(k, 10 * US, SEC, false));
	assert_false(ow_standby_measures(k, 300 * US, 200 * MS, true));
	assert_true(ow_standby_measures(k, 300 * US, 250 * MS, true));
}

static void others_are_enough_only_if_all_is_so(void **state)
{
	const struct ow_standby_view yes = { .computed_ns = SEC / 2,
					     .waited_ns = UINT64_MAX,
					     .moved_ns = MS,
					     .late_ns = MS,
					     .share = 900 };
	struct ow_standby_view v = yes;
	struct ow_waking never = *k;

	assert_true(ow_standby_is_enough(k, &v));
	v.late_ns = 100 * US; /* a CPU was free */
	assert_false(ow_standby_is_enough(k, &v));
	v = yes;
	v.share = 400; /* other programs have the CPUs */
	assert_false(ow_standby_is_enough(k, &v));
	v = yes;
	v.moved_ns = 3 * MS; /* nobody serves */
	assert_false(ow_standby_is_enough(k, &v));
	v = yes;
	v.waited_ns = SEC / 2; /* a service waited */
	assert_false(ow_standby_is_enough(k, &v));
	v = yes;
	v.computed_ns = UINT64_MAX; /* none was seen to compute */
	assert_false(ow_standby_is_enough(k, &v));
	never.standby_ns = 0;
	assert_false(ow_standby_is_enough(&never, &yes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_neither_cpu_time_nor_delay_was_waited),
		cmocka_unit_test(
		    what_waits_is_measured_seldom_what_is_short_never),
		cmocka_unit_test(others_are_enough_only_if_all_is_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
