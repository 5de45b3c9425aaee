/* SPDX-License-Identifier: Apache-2.0 */
/* test_tperror.c - tperrno, tpurcode and their texts */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "libatmi/base/tperror.h"

static void the_text_of_the_current_error_has_its_detail(void **state)
{
	assert_int_equal(ow_tp_fail(TPENOENT, "no service %s", "X"), -1);
	assert_int_equal(tperrno, TPENOENT);
	assert_string_equal(tpstrerror(TPENOENT),
			    "6:TPENOENT (last error 6: no service X)");
	assert_string_equal(tpstrerrordetail(TPENOENT, 0),
			    "6:TPENOENT (last error 6: no service X)");
}

static void the_text_of_another_error_is_its_name(void **state)
{
	ow_tp_fail(TPENOENT, "no service");
	assert_string_equal(tpstrerror(TPETIME), "13:TPETIME");
	assert_string_equal(tpstrerror(999), "999:unknown");
	assert_string_equal(tpstrerror(-1), "-1:unknown");
}

static void every_code_has_a_name(void **state)
{
	for (int i = TPMINVAL; i <= TPMAXVAL; i++)
		assert_memory_equal(tpecodestr(i), "TP", 2);
	assert_string_equal(tpecodestr(TPINITFAIL), "TPINITFAIL");
	assert_string_equal(tpecodestr(TPGOTSIG), "TPGOTSIG");
}

static void an_errno_becomes_tpeos_with_the_reason(void **state)
{
	errno = EINTR;
	assert_int_equal(ow_tp_fail_errno(-ENOSPC, "block"), -1);
	assert_int_equal(tperrno, TPEOS);
	assert_non_null(strstr(tpstrerror(TPEOS),
			       "block: No space left on device"));
	assert_int_equal(errno, EINTR);
}

static void clear_leaves_no_error_and_no_detail(void **state)
{
	ow_tp_fail(TPEOS, "x");
	ow_tp_clear();
	assert_int_equal(tperrno, TPMINVAL);
	assert_string_equal(ow_tp_detail(), "");
	assert_string_equal(tpstrerror(TPMINVAL), "0:TPMINVAL");
}

static void a_long_detail_is_cut(void **state)
{
	char text[1000];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ow_tp_fail(TPEINVAL, "%s", text);
	assert_int_equal(strlen(ow_tp_detail()), OW_TP_DETAIL - 1);
	assert_non_null(strstr(tpstrerror(TPEINVAL), "aaa)"));
}

static void a_detail_may_quote_the_previous_detail(void **state)
{
	ow_tp_fail(TPEOS, "inner");
	ow_tp_fail(TPESYSTEM, "outer: %s", ow_tp_detail());
	assert_string_equal(ow_tp_detail(), "outer: inner");
}

static void what_was_not_begun_is_so_until_the_next_error(void **state)
{
	ow_tp_fail(TPENOENT, "refused");
	ow_tp_unbegun();
	assert_true(tpurcode == LONG_MIN);
	ow_tp_clear();
	assert_true(tpurcode == LONG_MIN); /* tpfree() before the look at it */
	ow_tp_fail(TPETIME, "of the next call nobody knows");
	assert_int_equal(tpurcode, 0);
	tpurcode = 7;
	ow_tp_fail(TPETIME, "the code of the last reply");
	assert_int_equal(tpurcode, 7);
}

static void *other_thread(void *arg)
{
	*(int *)arg = tperrno;
	ow_tp_fail(TPETIME, "other");
	tpurcode = 9;
	return NULL;
}

static void each_thread_has_its_own_error(void **state)
{
	pthread_t t;
	int seen = -1;

	ow_tp_fail(TPENOENT, "mine");
	tpurcode = 4;
	assert_int_equal(pthread_create(&t, NULL, other_thread, &seen), 0);
	pthread_join(t, NULL);
	assert_int_equal(seen, TPMINVAL);
	assert_int_equal(tperrno, TPENOENT);
	assert_int_equal(tpurcode, 4);
	assert_string_equal(ow_tp_detail(), "mine");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_of_the_current_error_has_its_detail),
		cmocka_unit_test(the_text_of_another_error_is_its_name),
		cmocka_unit_test(every_code_has_a_name),
		cmocka_unit_test(an_errno_becomes_tpeos_with_the_reason),
		cmocka_unit_test(clear_leaves_no_error_and_no_detail),
		cmocka_unit_test(a_long_detail_is_cut),
		cmocka_unit_test(a_detail_may_quote_the_previous_detail),
		cmocka_unit_test(what_was_not_begun_is_so_until_the_next_error),
		cmocka_unit_test(each_thread_has_its_own_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
