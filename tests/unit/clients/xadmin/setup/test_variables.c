/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_variables.c - the environment variables that Onewake knows
 */
#include "clients/xadmin/setup/variables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void every_variable_is_listed_once(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ow_variables_count; i++)
		assert_ptr_equal(ow_variable_find(ow_variables[i].name),
				 &ow_variables[i]);
	assert_null(ow_variable_find("NDRX_NOSUCH"));
}

static void a_misspelt_variable_gets_a_suggestion(void **state)
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
		cmocka_unit_test(every_variable_is_listed_once),
		cmocka_unit_test(a_misspelt_variable_gets_a_suggestion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
