/* SPDX-License-Identifier: Apache-2.0 */
/* test_names.c - sets of service names, and advertisements of them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "servers/bridge/wire/names.h"

static void a_list_is_ordered_and_has_each_name_once(void **state)
{
	struct ow_br_names s = { 0 };

	assert_int_equal(ow_br_names_parse("B, A,,B\tC", &s), 0);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.name[0], "A");
	assert_string_equal(s.name[2], "C");
	assert_true(ow_br_names_has(&s, "B"));
	assert_false(ow_br_names_has(&s, "BB"));
	ow_br_names_free(&s);
}

static void a_union_has_each_name_once(void **state)
{
	struct ow_br_names s[5] = { { 0 } }, all = { 0 };
	const struct ow_br_names *const sets[] = { &s[0], &s[1], &s[2], &s[3],
						   &s[4] };
	static const char *const texts[] = { "C,E", "", "A,B,C", "E", "D" };
	uint32_t i, n;

	for (i = 0; i < 5; i++)
		ow_br_names_parse(texts[i], &s[i]);
	for (n = 0; n <= 5; n++) {
		static const uint32_t names[] = { 0, 2, 2, 4, 4, 5 };

		assert_int_equal(ow_br_names_union(sets, n, &all), 0);
		assert_int_equal(all.n, names[n]);
		for (i = 1; i < all.n; i++)
			assert_true(strcmp(all.name[i - 1], all.name[i]) < 0);
		ow_br_names_free(&all);
	}
	for (i = 0; i < 5; i++)
		ow_br_names_free(&s[i]);
}

static void a_set_takes_no_more_memory_than_it_is_told(void **state)
{
	struct ow_br_names s = { 0 };

	ow_br_names_parse("A,B,C", &s);
	ow_br_names_fit(&s, 2); /* fewer than there are: nothing happens */
	assert_true(s.n == 3 && s.allocated >= 3);
	ow_br_names_fit(&s, 3);
	assert_int_equal(s.allocated, 3);
	assert_int_equal(ow_br_names_add(&s, "D"), 0);
	assert_string_equal(s.name[3], "D");
	ow_br_names_free(&s);
}

static void advertisements_add_and_remove(void **state)
{
	char names[3][OW_BR_NAME] = { "D", "A", "B" };
	struct ow_br_advert n = { .plus = 1, .minus = 2 };
	struct ow_br_names s = { 0 };

	ow_br_names_parse("A,B,C", &s);
	assert_int_equal(ow_br_names_apply(&s, &n, names[0]), 0);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.name[0], "C");
	assert_string_equal(s.name[1], "D");
	ow_br_names_free(&s);
}

static void full_advertisements_replace_everything(void **state)
{
	char names[1][OW_BR_NAME] = { "X" };
	struct ow_br_advert n = { .full = 1, .plus = 1 };
	struct ow_br_names s = { 0 };

	ow_br_names_parse("A,B", &s);
	assert_int_equal(ow_br_names_apply(&s, &n, names[0]), 0);
	assert_int_equal(s.n, 1);
	assert_true(ow_br_names_has(&s, "X"));
	ow_br_names_free(&s);
}

static void ten_thousand_names_find_each_other(void **state)
{
	struct ow_br_names a = { 0 }, b = { 0 }, d = { 0 };
	char name[OW_BR_NAME];
	int i;

	for (i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "SVC%d", i);
		ow_br_names_add(&a, name);
		if (i != 4711)
			ow_br_names_add(&b, name);
	}
	ow_br_names_order(&a);
	ow_br_names_order(&b);
	assert_int_equal(ow_br_names_minus(&a, &b, &d), 0);
	assert_int_equal(d.n, 1);
	assert_string_equal(d.name[0], "SVC4711");
	ow_br_names_free(&a);
	ow_br_names_free(&b);
	ow_br_names_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_ordered_and_has_each_name_once),
		cmocka_unit_test(a_union_has_each_name_once),
		cmocka_unit_test(a_set_takes_no_more_memory_than_it_is_told),
		cmocka_unit_test(advertisements_add_and_remove),
		cmocka_unit_test(full_advertisements_replace_everything),
		cmocka_unit_test(ten_thousand_names_find_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
