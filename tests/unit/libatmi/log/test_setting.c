/* SPDX-License-Identifier: Apache-2.0 */
/* test_setting.c - numbers and times from the environment, bad ones logged */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libatmi/log/log.h"
#include "libatmi/log/setting.h"
#include "tests/unit/libatmi/scratch.h"

#define VAR "OW_TEST_VALUE"

/* Is `text` in the log that all tests share? */
static void assert_logged(const char *text)
{
	char *all = scratch_read(scratch_path("log"));

	assert_non_null(strstr(all, text));
	free(all);
}

static void an_unset_or_empty_variable_takes_the_default(void **state)
{
	uint64_t ms = 0;
	long n = 0;

	unsetenv(VAR);
	assert_int_equal(ow_setting_ms(VAR, 77, &ms), 0);
	assert_int_equal(ms, 77);
	setenv(VAR, "", 1);
	assert_int_equal(ow_setting_long(VAR, 5, 1, 9, &n), 0);
	assert_int_equal(n, 5);
}

static void a_variable_takes_the_place_of_the_default(void **state)
{
	uint64_t ms = 0;
	long n = 0;

	setenv(VAR, "1.5", 1);
	assert_int_equal(ow_setting_ms(VAR, 77, &ms), 0);
	assert_int_equal(ms, 1500);
	setenv(VAR, "-3", 1);
	assert_int_equal(ow_setting_long(VAR, 1, -5, 9, &n), 0);
	assert_int_equal(n, -3);
}

static void a_bad_time_is_logged_and_leaves_the_result_alone(void **state)
{
	uint64_t ms = 42;

	setenv(VAR, "soon", 1);
	assert_int_equal(ow_setting_ms(VAR, 1, &ms), -EINVAL);
	assert_int_equal(ms, 42);
	assert_logged(VAR "=soon: not a time (30, 1.5, 2s, 250ms)");
}

static void a_bad_number_is_logged_and_leaves_the_result_alone(void **state)
{
	long n = 42;

	setenv(VAR, "9x", 1);
	assert_int_equal(ow_setting_long(VAR, 1, 1, 9, &n), -EINVAL);
	setenv(VAR, "10", 1);
	assert_int_equal(ow_setting_long(VAR, 1, 1, 9, &n), -EINVAL);
	assert_int_equal(n, 42);
	assert_logged(VAR "=9x: not a number");
	assert_logged(VAR "=10: not within 1..9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unset_or_empty_variable_takes_the_default),
		cmocka_unit_test(a_variable_takes_the_place_of_the_default),
		cmocka_unit_test(
		    a_bad_time_is_logged_and_leaves_the_result_alone),
		cmocka_unit_test(
		    a_bad_number_is_logged_and_leaves_the_result_alone),
	};

	scratch_make();
	unsetenv("NDRX_DEBUG_CONF");
	unsetenv("NDRX_DEBUG_STR");
	ow_log_default_file(scratch_path("log"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
