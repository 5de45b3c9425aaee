/* SPDX-License-Identifier: Apache-2.0 */
/* test_cause.c - what a caller is told of why it failed */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xatmi.h>
#include <cmocka.h>

#include "libatmi/wire/cause.h"

static void read_back(const char *text, size_t len, int tperr, uint32_t flags,
		      char ret[OW_CAUSE_MAX + 1])
{
	struct ow_msg m = { .tperr = tperr, .flags = flags, .len = len };

	ow_cause_read(&m, text, ret);
}

static void a_cause_is_read_as_it_was_written(void **state)
{
	char sent[OW_CAUSE_MAX], got[OW_CAUSE_MAX + 1];
	size_t len = ow_cause_write("node 2: it is down", sent);

	read_back(sent, len, TPETRAN, OW_MSG_CAUSE, got);
	assert_string_equal(got, "node 2: it is down");
}

static void secrets_do_not_travel(void **state)
{
	char sent[OW_CAUSE_MAX], got[OW_CAUSE_MAX + 1];
	size_t len = ow_cause_write("connect PASSWORD=hunter2 //eve:pw1@db/x",
				    sent);

	read_back(sent, len, TPETRAN, OW_MSG_CAUSE, got);
	assert_null(strstr(got, "hunter2"));
	assert_null(strstr(got, "pw1"));
	assert_non_null(strstr(got, "connect"));
}

static void what_a_service_returned_beside_an_error_is_no_cause(void **state)
{
	char got[OW_CAUSE_MAX + 1];

	read_back("4711", 4, TPETIME, 0, got);
	assert_string_equal(got, "");
	read_back("4711", 4, TPESVCFAIL, OW_MSG_CAUSE, got);
	assert_string_equal(got, "");
	read_back(NULL, 4, TPETIME, OW_MSG_CAUSE, got);
	assert_string_equal(got, "");
}

static void a_hostile_text_is_cut_and_has_no_control_characters(void **state)
{
	char text[400], got[OW_CAUSE_MAX + 1];

	memset(text, 'a', sizeof(text));
	text[0] = '\033';
	text[1] = '\n';
	text[2] = '\0';
	read_back(text, sizeof(text), TPESVCERR, OW_MSG_CAUSE, got);
	assert_int_equal(strlen(got), OW_CAUSE_MAX);
	assert_memory_equal(got, "???aa", 5);
	/* C1, of 8 bits and in UTF-8; a letter that was cut in two */
	read_back("\x9b" "2J \xc2\x9b" "2J \xc3\xa9 \xc3", 13, TPESVCERR,
		  OW_MSG_CAUSE, got);
	assert_string_equal(got, "?2J ??2J \xc3\xa9 ?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cause_is_read_as_it_was_written),
		cmocka_unit_test(secrets_do_not_travel),
		cmocka_unit_test(
		    what_a_service_returned_beside_an_error_is_no_cause),
		cmocka_unit_test(
		    a_hostile_text_is_cut_and_has_no_control_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
