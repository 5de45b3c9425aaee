/* SPDX-License-Identifier: Apache-2.0 */
/* test_passwords.c - the file of passwords: set, checked, replaced as a whole */
#include "tests/unit/libatmi/domain_fixture.h"

#include <stdio.h>
#include <sys/stat.h>

#include "libatmi/door/passwords.h"

static char path[300];

static int n_names;

static void count(const char *name, void *arg)
{
	(void)name;
	(void)arg;
	n_names++;
}

static int names(void)
{
	n_names = 0;
	assert_int_equal(ow_passwords_each(path, count, NULL), 0);
	return n_names;
}

static void the_right_password_is_right(void **state)
{
	assert_int_equal(ow_passwords_set(path, "anna", "secret"), 0);
	assert_int_equal(ow_passwords_set(path, "ann", "other"), 0);
	assert_int_equal(ow_passwords_check(path, "anna", "secret"), 0);
	assert_int_equal(ow_passwords_check(path, "ann", "other"), 0);
	assert_int_equal(ow_passwords_check(path, "ann", "secret"),
			 OW_PASSWORDS_WRONG);
	assert_int_equal(ow_passwords_check(path, "anna", "secre"),
			 OW_PASSWORDS_WRONG);
	assert_int_equal(ow_passwords_check(path, "anna", ""),
			 OW_PASSWORDS_WRONG);
	assert_int_equal(ow_passwords_check(path, "an", "secret"),
			 OW_PASSWORDS_WRONG);
	assert_int_equal(ow_passwords_check(path, "anna:", "secret"),
			 OW_PASSWORDS_WRONG);
	assert_int_equal(names(), 2);
}

static void an_entry_is_replaced_and_removed(void **state)
{
	assert_int_equal(ow_passwords_set(path, "anna", "new"), 0);
	assert_int_equal(ow_passwords_check(path, "anna", "secret"),
			 OW_PASSWORDS_WRONG);
	assert_int_equal(ow_passwords_check(path, "anna", "new"), 0);
	assert_int_equal(names(), 2);
	assert_int_equal(ow_passwords_set(path, "anna", NULL), 0);
	assert_int_equal(ow_passwords_set(path, "anna", NULL),
			 OW_PASSWORDS_WRONG);
	assert_int_equal(ow_passwords_check(path, "anna", "new"),
			 OW_PASSWORDS_WRONG);
	assert_int_equal(names(), 1);
}

/* As an editor, or a program that writes the file, may leave it. */
static void a_last_line_without_its_end_stays_a_line(void **state)
{
	struct stat st;

	assert_int_equal(ow_passwords_set(path, "anna", "new"), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size - 1), 0);
	assert_int_equal(ow_passwords_check(path, "anna", "new"), 0);
	assert_int_equal(ow_passwords_set(path, "bob", "other"), 0);
	assert_int_equal(ow_passwords_check(path, "anna", "new"), 0);
	assert_int_equal(ow_passwords_check(path, "bob", "other"), 0);
	assert_int_equal(names(), 3);
}

/* So that time does not tell which names there are. */
static void a_name_that_is_not_there_costs_a_hash_too(void **state)
{
	uint64_t begin = ow_clock_mono_ns(), known, unknown;

	ow_passwords_check(path, "ann", "wrong");
	known = ow_clock_mono_ns() - begin;
	begin = ow_clock_mono_ns();
	ow_passwords_check(path, "nobody", "wrong");
	unknown = ow_clock_mono_ns() - begin;
	assert_true(unknown > known / 4);
}

static void a_file_that_others_may_read_is_not_used(void **state)
{
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(ow_passwords_check(path, "ann", "other"), -EACCES);
	assert_int_equal(ow_passwords_set(path, "x", "y"), -EACCES);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(ow_passwords_check(path, "ann", "other"), 0);
}

static void names_that_would_break_a_line_are_refused(void **state)
{
	assert_false(ow_passwords_name_ok(""));
	assert_false(ow_passwords_name_ok("a:b"));
	assert_false(ow_passwords_name_ok("a\nb"));
	assert_false(ow_passwords_name_ok(" a"));
	assert_false(ow_passwords_name_ok("a "));
	assert_false(ow_passwords_name_ok("0123456789012345678901234567890x"));
	assert_true(ow_passwords_name_ok("0123456789012345678901234567890"));
	assert_true(ow_passwords_name_ok("anna b"));
	assert_int_equal(ow_passwords_set(path, "a:b", "x"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_right_password_is_right),
		cmocka_unit_test(an_entry_is_replaced_and_removed),
		cmocka_unit_test(a_last_line_without_its_end_stays_a_line),
		cmocka_unit_test(a_name_that_is_not_there_costs_a_hash_too),
		cmocka_unit_test(a_file_that_others_may_read_is_not_used),
		cmocka_unit_test(names_that_would_break_a_line_are_refused),
	};

	scratch_make();
	snprintf(path, sizeof(path), "%s/passwords", scratch_dir);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
