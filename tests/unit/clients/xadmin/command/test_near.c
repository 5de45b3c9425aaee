/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_near.c - slips of the fingers, counted; variables, found again
 */
#include "clients/xadmin/command/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clients/xadmin/setup/variables.h"

static void slips_are_counted(void **state)
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

static void every_variable_is_listed_once(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ow_variables_count; i++)
		assert_ptr_equal(ow_variable_find(ow_variables[i].name),
				 &ow_variables[i]);
	assert_null(ow_variable_find("NDRX_NOSUCH"));
}

static void a_misspelt_variable_is_understood(void **state)
{
	(void)state;
	assert_string_equal(ow_variable_suggest("NDRX_QPREFX"),
			    "NDRX_QPREFIX");
	assert_string_equal(ow_variable_suggest("NDRX_APPHOEM"),
			    "NDRX_APPHOME");
	assert_null(ow_variable_suggest("NDRX_SOMETHING_ELSE"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slips_are_counted),
		cmocka_unit_test(long_names_are_far),
		cmocka_unit_test(every_variable_is_listed_once),
		cmocka_unit_test(a_misspelt_variable_is_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
