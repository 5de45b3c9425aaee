/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_near.c - distance between two names, in typing errors
 */
#include "clients/xadmin/command/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void typing_errors_are_counted(void **state)
{
	(void)state;
	assert_int_equal(ow_near_distance("stop", "stop"), 0);
	assert_int_equal(ow_near_distance("stpo", "stop"), 1); /* swapped */
	assert_int_equal(ow_near_distance("sop", "stop"), 1);
	assert_int_equal(ow_near_distance("stoop", "stop"), 1);
	assert_int_equal(ow_near_distance("step", "stop"), 1);
	assert_int_equal(ow_near_distance("", "stop"), 4);
	assert_int_equal(ow_near_distance("psc", "down"), 4);
}

static void long_names_are_far(void **state)
{
	char name[OW_NEAR_LEN + 1];

	(void)state;
	memset(name, 'a', OW_NEAR_LEN);
	name[OW_NEAR_LEN] = '\0';
	assert_int_equal(ow_near_distance(name, name), OW_NEAR_FAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(typing_errors_are_counted),
		cmocka_unit_test(long_names_are_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
