/* SPDX-License-Identifier: Apache-2.0 */
/* test_env.c - text from the environment */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libatmi/base/env.h"

#define VAR "OW_TEST_VALUE"

static void an_unset_or_empty_variable_takes_the_default(void **state)
{
	unsetenv(VAR);
	assert_string_equal(ow_env_str(VAR, "d"), "d");
	setenv(VAR, "", 1);
	assert_string_equal(ow_env_str(VAR, "d"), "d");
	setenv(VAR, "x", 1);
	assert_string_equal(ow_env_str(VAR, "d"), "x");
}

static void times_are_seconds_or_milliseconds(void **state)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} good[] = {
		{ "30", 30000 }, { "1.5", 1500 },  { "250ms", 250 },
		{ "2s", 2000 },	 { "0", 0 },	   { "0.001", 1 },
		{ "0.0019", 1 }, { "1.25s", 1250 }, { "010", 10000 },
	};
	uint64_t ms;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(ow_env_parse_ms(good[i].text, &ms), 0);
		assert_int_equal(ms, good[i].ms);
	}
}

static void a_bad_time_is_refused_and_leaves_the_result_alone(void **state)
{
	static const char *const bad[] = { "",	    "x",     "-1",   "1.",
					   ".5",    "1 ",    "1.5ms", "1m",
					   "1e3",   "30 s",  "ms",    "+3",
					   "99999999999999999999",
					   "18446744073709551615" };
	uint64_t ms = 42;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(ow_env_parse_ms(bad[i], &ms), -EINVAL);
		assert_int_equal(ms, 42);
	}
}

static void a_bad_number_is_refused_and_leaves_the_result_alone(void **state)
{
	static const char *const bad[] = { "", "x", "9x", "+3", " 3", "3 ", "-",
					   "99999999999999999999" };
	long n = 42;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(ow_env_parse_long(bad[i], &n), -EINVAL);
		assert_int_equal(n, 42);
	}
	assert_int_equal(ow_env_parse_long("-3", &n), 0);
	assert_int_equal(n, -3);
}

static void items_are_separated_by_blanks_tabs_and_commas(void **state)
{
	const char *pos = " a=1,b\t c='x, y'  d=\"p\\\"q\",e=";
	char buf[32], *key, *value;
	static const char *const want[][2] = { { "a", "1" },
					       { "b", "" },
					       { "c", "x, y" },
					       { "d", "p\"q" },
					       { "e", "" } };

	for (int i = 0; i < 5; i++) {
		assert_int_equal(ow_env_next_item(&pos, buf, sizeof(buf), &key,
						  &value), 0);
		assert_string_equal(key, want[i][0]);
		assert_string_equal(value, want[i][1]);
	}
	assert_int_equal(ow_env_next_item(&pos, buf, sizeof(buf), &key, &value),
			 OW_ENV_END);
}

static void broken_items_are_refused(void **state)
{
	const char *open = "a='x", *big = "abcdefgh=1", *big2 = "abc=defgh";
	char buf[8], *key, *value;

	assert_int_equal(ow_env_next_item(&open, buf, 8, &key, &value),
			 -EINVAL);
	assert_int_equal(ow_env_next_item(&big, buf, 8, &key, &value), -E2BIG);
	assert_int_equal(ow_env_next_item(&big2, buf, 8, &key, &value),
			 -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unset_or_empty_variable_takes_the_default),
		cmocka_unit_test(times_are_seconds_or_milliseconds),
		cmocka_unit_test(
		    a_bad_time_is_refused_and_leaves_the_result_alone),
		cmocka_unit_test(
		    a_bad_number_is_refused_and_leaves_the_result_alone),
		cmocka_unit_test(
		    items_are_separated_by_blanks_tabs_and_commas),
		cmocka_unit_test(broken_items_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
