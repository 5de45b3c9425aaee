/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_jsonchar.c - characters of JSON strings, under each flag
 */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>

#include "libubf/base/jsonchar.h"

/* The JSON text of a whole string; "?" where a byte is not UTF-8. */
static const char *json_of(const char *s, size_t n, unsigned int flags)
{
	static char text[256];
	char *to = text;
	size_t used, k;

	for (; n > 0; n -= used, s += used) {
		k = ow_jsonchar(s, n, flags, to, &used);
		assert_in_range(used, 1, n);
		assert_in_range(k, 0, OW_JSONCHAR_MAX);
		if (k == 0)
			*to++ = '?';
		to += k;
	}
	*to = '\0';
	return text;
}

#define JSON_OF(literal, flags) json_of(literal, sizeof(literal) - 1, flags)

static void plain_bytes_stand_for_themselves_under_every_flag(void **state)
{
	unsigned int flags;
	char c[2] = "";
	int i;

	for (i = 0; i < 256; i++) {
		if (!ow_jsonchar_plain((unsigned char)i))
			continue;
		c[0] = (char)i;
		for (flags = 0; flags < 16; flags++)
			assert_string_equal(json_of(c, 1, flags), c);
	}
}

static void quotes_backslashes_and_controls_are_escaped(void **state)
{
	assert_string_equal(JSON_OF("\"\\\n\t\b\f\r", 0),
			    "\\\"\\\\\\n\\t\\b\\f\\r");
	assert_string_equal(JSON_OF("\0\x01\x1f", 0),
			    "\\u0000\\u0001\\u001f");
	assert_string_equal(JSON_OF("/\x7f", 0), "/\x7f");
}

static void flags_escape_more_than_json_demands(void **state)
{
	assert_string_equal(JSON_OF("/", OW_JSONCHAR_SLASH), "\\/");
	assert_string_equal(JSON_OF("\x7f", OW_JSONCHAR_DEL), "\\u007f");
	assert_string_equal(JSON_OF("\b\f\r\n\t", OW_JSONCHAR_LONG),
			    "\\u0008\\u000c\\u000d\\n\\t");
}

static void utf8_is_copied(void **state)
{
	static const char text[] = "\xc2\x80 \xdf\xbf \xe0\xa0\x80 "
				   "\xed\x9f\xbf "
				   "\xee\x80\x80 \xf0\x90\x80\x80 "
				   "\xf4\x8f\xbf\xbf";

	assert_string_equal(JSON_OF(text, 0), text);
}

/* Overlong forms, surrogates, too large, without a beginning or an end. */
static void bytes_that_are_not_utf8_are_refused_or_replaced(void **state)
{
	static const char *const wrong[] = {
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2g",
		"\xe0\x9f\xbf", "\xe0\xa0", "\xed\xa0\x80", "\xef\xbfg",
		"\xf0\x8f\xbf\xbf", "\xf0\x90\x80", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xff",
	};
	char to[OW_JSONCHAR_MAX];
	size_t i, used;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(ow_jsonchar(wrong[i], strlen(wrong[i]), 0, to,
					     &used), 0);
		assert_int_equal(ow_jsonchar(wrong[i], strlen(wrong[i]),
					     OW_JSONCHAR_REPLACE, to, &used),
				 6);
		assert_memory_equal(to, "\\ufffd", 6);
		assert_int_equal(used, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			plain_bytes_stand_for_themselves_under_every_flag),
		cmocka_unit_test(quotes_backslashes_and_controls_are_escaped),
		cmocka_unit_test(flags_escape_more_than_json_demands),
		cmocka_unit_test(utf8_is_copied),
		cmocka_unit_test(
			bytes_that_are_not_utf8_are_refused_or_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
