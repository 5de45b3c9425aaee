/* SPDX-License-Identifier: Apache-2.0 */
/* test_history.c - lines of the history: written, and read back */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libatmi/domain/history.h"

static char line[OW_HISTORY_LINE];

static struct ow_event event(const char *who, const char *text)
{
	struct ow_event e = { .kind = OW_EVENT_GAVE_UP,
			      .real_ns = UINT64_C(1795376580123000000),
			      .srvid = 7, .pid = 1234 };

	snprintf(e.who, sizeof(e.who), "%s", who);
	snprintf(e.text, sizeof(e.text), "%s", text);
	return e;
}

static void a_line_reads_back_as_it_was(void **state)
{
	struct ow_event e = event("bank sv", "it failed 3 times"), back;
	size_t n = ow_history_line(&e, "bank", line);

	assert_int_equal(n, strlen(line));
	assert_string_equal(line, "2026-11-22T19:43:00.123Z gave_up bank_sv 7 "
				  "1234 it failed 3 times\t/bank\n");
	assert_true(ow_history_parse(line, "bank", &back));
	assert_int_equal(back.kind, e.kind);
	assert_int_equal(back.real_ns, e.real_ns);
	assert_int_equal(back.srvid, 7);
	assert_int_equal(back.pid, 1234);
	assert_string_equal(back.who, "bank_sv");
	assert_string_equal(back.text, e.text);
}

static void missing_words_are_dashes(void **state)
{
	struct ow_event e = event("", ""), back;

	e.srvid = 0;
	e.pid = 0;
	ow_history_line(&e, "bank", line);
	assert_string_equal(line + 25, "gave_up - - - \t/bank\n");
	assert_true(ow_history_parse(line, "bank", &back));
	assert_int_equal(back.srvid, 0);
	assert_int_equal(back.pid, 0);
	assert_string_equal(back.text, "");
}

static void control_characters_and_long_texts_keep_to_one_line(void **state)
{
	struct ow_event e = event("\033[2Jx\ny", "");
	size_t n;

	memset(e.who + 6, 'w', sizeof(e.who) - 7);
	memset(e.text, '\033', sizeof(e.text) - 1);
	n = ow_history_line(&e, "bank", line);
	assert_true(n < OW_HISTORY_LINE);
	assert_ptr_equal(strchr(line, '\n'), line + n - 1);
	assert_null(strchr(line, '\033'));
}

/* One folder, two domains; and lines of before they named theirs. */
static void lines_of_another_domain_are_skipped(void **state)
{
	static const char old[] = "2026-11-22T19:43:00.123Z died a 1 2 why\n";
	struct ow_event e = event("banksv", "it failed"), back;

	ow_history_line(&e, "bank", line);
	assert_false(ow_history_parse(line, "ban", &back));
	assert_false(ow_history_parse(line, "bank2", &back));
	assert_true(ow_history_parse(line, "bank", &back));
	assert_true(ow_history_parse(old, "bank", &back));
	assert_string_equal(back.text, "why");
}

static void other_lines_are_skipped(void **state)
{
	static const char *const wrong[] = {
		"", "\n", "2026-11-22T19:43:00.123Z", "x gave_up a 1 2 t",
		"2026-11-22T19:43:00.123Z flew testsv 1 2 away\n",
		"\nlog: 2 lines of process 5 could not be written\n",
	};
	struct ow_event e;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(ow_history_parse(wrong[i], "bank", &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_reads_back_as_it_was),
		cmocka_unit_test(missing_words_are_dashes),
		cmocka_unit_test(
		    control_characters_and_long_texts_keep_to_one_line),
		cmocka_unit_test(lines_of_another_domain_are_skipped),
		cmocka_unit_test(other_lines_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
