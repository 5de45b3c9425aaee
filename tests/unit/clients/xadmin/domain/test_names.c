/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_names.c - a set keeps each name once
 */
#include "clients/xadmin/domain/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void a_name_is_added_once(void **state)
{
	struct ow_names s = { .n = 0 };

	(void)state;
	assert_true(ow_names_add(&s, "/d,svc,A"));
	assert_true(ow_names_add(&s, "/d,svc,B"));
	assert_false(ow_names_add(&s, "/d,svc,A"));
	assert_int_equal(s.n, 2);
	ow_names_clear(&s);
	assert_int_equal(s.n, 0);
}

static void a_set_grows(void **state)
{
	struct ow_names s = { .n = 0 };
	char name[32];
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "/d,svc,%d", i);
		assert_true(ow_names_add(&s, name));
	}
	assert_int_equal(s.n, 1000);
	assert_string_equal(s.list[999], "/d,svc,999");
	ow_names_clear(&s);
}

static void a_name_that_is_too_long_is_refused(void **state)
{
	struct ow_names s = { .n = 0 };
	char name[OW_NAMES_LEN + 1];

	(void)state;
	memset(name, 'a', sizeof(name));
	name[OW_NAMES_LEN] = '\0';
	assert_false(ow_names_add(&s, name));
	name[OW_NAMES_LEN - 1] = '\0';
	assert_true(ow_names_add(&s, name));
	ow_names_clear(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_added_once),
		cmocka_unit_test(a_set_grows),
		cmocka_unit_test(a_name_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
