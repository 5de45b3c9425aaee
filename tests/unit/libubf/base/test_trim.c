/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_trim.c - a text without the blanks at its ends
 */
#include "libubf/base/trim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void blanks_at_the_ends_are_cut_off(void **state)
{
	char both[] = " \t a b\v\r\n", none[] = "x", only[] = " \t\n";
	char empty[] = "";

	(void)state;
	assert_string_equal(ow_trim(both), "a b");
	assert_string_equal(ow_trim(none), "x");
	assert_string_equal(ow_trim(only), "");
	assert_string_equal(ow_trim(empty), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_at_the_ends_are_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
