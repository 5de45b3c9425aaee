/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_rows.c - a listing of xadmin as rows and named columns
 */
#include "clients/tm/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void cells_are_found_by_column(void **state)
{
	struct rows r;

	(void)state;
	rows_read(strdup("a,b,c\n1,\"x,\"\"y\"\"\",\n2,z,w\n"), &r);
	assert_int_equal(r.n, 2);
	assert_string_equal(rows_get(&r, 0, "b"), "x,\"y\"");
	assert_string_equal(rows_get(&r, 0, "c"), "");
	assert_string_equal(rows_get(&r, 1, "c"), "w");
	assert_string_equal(rows_get(&r, 1, "none"), "");
	assert_int_equal(rows_find(&r, "a", "2"), 1);
	assert_int_equal(rows_find(&r, "a", "3"), -1);
	rows_free(&r);
}

static void a_listing_may_be_empty_or_short(void **state)
{
	struct rows r;

	(void)state;
	rows_read(NULL, &r);
	assert_int_equal(r.n, 0);
	rows_read(strdup(""), &r);
	assert_int_equal(r.n, 0);
	rows_free(&r);
	rows_read(strdup("a,b\n1"), &r);
	assert_int_equal(r.n, 1);
	assert_string_equal(rows_get(&r, 0, "a"), "1");
	assert_string_equal(rows_get(&r, 0, "b"), "");
	rows_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_found_by_column),
		cmocka_unit_test(a_listing_may_be_empty_or_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
