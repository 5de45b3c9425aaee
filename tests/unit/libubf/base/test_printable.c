/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libubf/base/jsonchar.h"
#include "libubf/base/printable.h"

static void expect(const char *text, const char *want, const char *want_lines)
{
	char buf[64];

	strcpy(buf, text);
	ow_printable(buf);
	assert_string_equal(buf, want);
	strcpy(buf, text);
	ow_printable_lines(buf);
	assert_string_equal(buf, want_lines);
}

static void controls_become_question_marks(void **state)
{
	expect("a\x1b[2Jb", "a?[2Jb", "a?[2Jb");
	expect("a\x7f\x01", "a??", "a??");
	expect("a\nb\tc\r", "a?b?c?", "a\nb\tc?");
	/* C1: CSI and OSC, in UTF-8 and as single bytes */
	expect("a\xc2\x9b" "2J", "a??2J", "a??2J");
	expect("a\x9d" "0;x", "a?0;x", "a?0;x");
}

static void utf8_stays_and_what_is_none_does_not(void **state)
{
	expect("Ärger €\xf0\x9f\x98\x80", "Ärger €\xf0\x9f\x98\x80",
	       "Ärger €\xf0\x9f\x98\x80");
	expect("\xc2\xa0x", "\xc2\xa0x", "\xc2\xa0x");
	expect("a\xe2\x82", "a??", "a??");
	expect("a\xc2", "a?", "a?");
	expect("\xff\xc0\x80", "???", "???");
}

static void arguments_are_made_harmless_when_they_are_printed(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	ow_print(f, "%s:\n\t%s %d\n", "a\x1b]0;x\a", "\xc2\x9b", 7);
	fclose(f);
	assert_string_equal(text, "a?]0;x?:\n\t?? 7\n");
	free(text);
}

static void json_escapes_controls_of_both_kinds(void **state)
{
	char to[OW_JSONCHAR_MAX + 1] = "";
	size_t used, n = ow_jsonchar("\xc2\x9b", 2, OW_JSONCHAR_DEL, to, &used);

	assert_int_equal(n, 6);
	assert_int_equal(used, 2);
	assert_string_equal(to, "\\u009b");
	n = ow_jsonchar("\xc2\x9b", 2, 0, to, &used);
	assert_int_equal(n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controls_become_question_marks),
		cmocka_unit_test(utf8_stays_and_what_is_none_does_not),
		cmocka_unit_test(
		    arguments_are_made_harmless_when_they_are_printed),
		cmocka_unit_test(json_escapes_controls_of_both_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
