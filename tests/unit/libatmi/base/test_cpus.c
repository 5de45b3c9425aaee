/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cpus.c - how many CPUs a process may use
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libatmi/base/cpus.h"

static void a_quota_allows_whole_cpus(void **state)
{
	assert_int_equal(ow_cpus_of_quota("200000 100000\n", 8), 2);
	assert_int_equal(ow_cpus_of_quota("150000 100000\n", 8), 1);
	assert_int_equal(ow_cpus_of_quota("50000 100000\n", 8), 0);
}

static void no_quota_and_a_large_one_change_nothing(void **state)
{
	assert_int_equal(ow_cpus_of_quota("max 100000\n", 8), 8);
	assert_int_equal(ow_cpus_of_quota("900000 100000\n", 8), 8);
	assert_int_equal(ow_cpus_of_quota("", 8), 8);
	assert_int_equal(ow_cpus_of_quota("100000 0\n", 8), 8);
}

static void the_affinity_mask_counts(void **state)
{
	cpu_set_t all, one;
	int cpu = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_in_range(ow_cpus_usable(), 0, 1);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quota_allows_whole_cpus),
		cmocka_unit_test(no_quota_and_a_large_one_change_nothing),
		cmocka_unit_test(the_affinity_mask_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
