/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_library.c - a library that is loaded when it is first needed
 */
#include "libubf/base/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct functions {
	double (*floor)(double x);
	double (*ceil)(double x);
};

static void functions_are_found_in_their_order(void **state)
{
	static const char *const names[] = { "floor", "ceil" };
	struct functions f = { NULL, NULL };

	(void)state;
	assert_true(ow_library_load("libm.so.6", names, 2, &f));
	assert_true(f.floor(1.5) == 1.0);
	assert_true(f.ceil(1.5) == 2.0);
}

static void a_missing_function_is_told(void **state)
{
	static const char *const names[] = { "floor", "no_such_function" };
	struct functions f = { NULL, NULL };

	(void)state;
	assert_false(ow_library_load("libm.so.6", names, 2, &f));
}

static void a_missing_library_is_told(void **state)
{
	static const char *const names[] = { "floor" };
	struct functions f = { NULL, NULL };

	(void)state;
	assert_false(ow_library_load("libnothing.so.9", names, 1, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_in_their_order),
		cmocka_unit_test(a_missing_function_is_told),
		cmocka_unit_test(a_missing_library_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
