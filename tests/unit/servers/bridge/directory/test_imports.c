/* SPDX-License-Identifier: Apache-2.0 */
/* test_imports.c - what other nodes may offer here */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "servers/bridge/directory/imports.h"

/* How many of A, B, C node `node` may offer by `text`. */
static uint32_t left(const char *text, uint32_t node)
{
	struct ow_br_names names = { 0 };
	struct ow_br_imports im;
	uint32_t n;

	assert_int_equal(ow_br_imports_parse(text, &im), 0);
	assert_int_equal(ow_br_names_parse("A,B,C", &names), 0);
	ow_br_imports_apply(&im, node, &names);
	n = names.n;
	ow_br_names_free(&names);
	ow_br_imports_free(&im);
	return n;
}

static void without_a_list_a_node_may_offer_all(void **state)
{
	assert_int_equal(left(NULL, 2), 3);
	assert_int_equal(left("", 2), 3);
	assert_int_equal(left("3:A", 2), 3);
}

static void a_list_says_what_its_node_may_offer(void **state)
{
	assert_int_equal(left("2:A,C,X", 2), 2);
	assert_int_equal(left("1:A;2:B", 2), 1);
	assert_int_equal(left("2:", 2), 0);
	assert_int_equal(left(" 1:A ; 2:B C;", 2), 2);
}

static void the_star_is_for_all_others(void **state)
{
	assert_int_equal(left("*:A", 2), 1);
	assert_int_equal(left("*:", 255), 0);
	assert_int_equal(left("*:A;2:B,C", 2), 2);
	assert_int_equal(left("2:B,C;*:A", 3), 1);
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const wrong[] = { "A", "2", "0:A", "256:A", "2=A",
					     "2:A;2:B", "*:A;*:B", "-1:A" };
	struct ow_br_imports im;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(ow_br_imports_parse(wrong[i], &im), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_list_a_node_may_offer_all),
		cmocka_unit_test(a_list_says_what_its_node_may_offer),
		cmocka_unit_test(the_star_is_for_all_others),
		cmocka_unit_test(what_is_no_list_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
