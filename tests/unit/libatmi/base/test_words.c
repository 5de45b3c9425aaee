/* SPDX-License-Identifier: Apache-2.0 */
/* test_words.c - words with quotes and backslashes, in every dialect */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "libatmi/base/words.h"

/* Nothing but blanks and quotes, as in NDRX_SVCLOPT. */
static const struct ow_words plain = { .separators = " \t" };
/* A shell's quoting, as in ndrxconfig.xml. */
static const struct ow_words shell = {
	.separators = " \t\n",
	.strict_end = true,
	.outside = OW_WORDS_ESCAPE,
	.in_single = OW_WORDS_ESCAPE_QUOTE,
	.in_double = OW_WORDS_ESCAPE_SPECIAL,
};
/* A backslash counts everywhere, as in debug strings. */
static const struct ow_words items = {
	.separators = " ,",
	.outside = OW_WORDS_ESCAPE,
	.in_single = OW_WORDS_ESCAPE,
	.in_double = OW_WORDS_ESCAPE,
};

/* Split and put '|' between the words. */
static int split(const struct ow_words *w, const char *text, char joined[256])
{
	char buf[256], *argv[32];
	int i, n = 0, r;

	joined[0] = '\0';
	r = ow_words_split(w, text, buf, sizeof(buf), argv, 32, &n);
	for (i = 0; r == 0 && i < n; i++) {
		strcat(joined, i > 0 ? "|" : "");
		strcat(joined, argv[i]);
	}
	if (r == 0)
		assert_null(argv[n]);
	return r;
}

static void assert_words(const struct ow_words *w, const char *text,
			 const char *want)
{
	char joined[256];

	assert_int_equal(split(w, text, joined), 0);
	assert_string_equal(joined, want);
}

static void assert_refused(const struct ow_words *w, const char *text,
			   int result)
{
	char joined[256];

	assert_int_equal(split(w, text, joined), result);
}

static void separators_are_those_of_the_dialect(void **state)
{
	assert_words(&plain, "", "");
	assert_words(&plain, " \t ", "");
	assert_words(&plain, "  a\t b ", "a|b");
	assert_words(&plain, "a\nb,c", "a\nb,c");
	assert_words(&shell, "a\nb,c", "a|b,c");
	assert_words(&items, "a, b,,c", "a|b|c");
}

static void quotes_keep_separators_and_may_begin_within_a_word(void **state)
{
	assert_words(&plain, "'a b' \"c d\"", "a b|c d");
	assert_words(&plain, "x'y z'\"1 2\"w", "xy z1 2w");
	assert_words(&plain, "\"it's\" 'say \"x\"'", "it's|say \"x\"");
	assert_words(&plain, "'' \"\" a", "||a");
}

static void a_backslash_is_plain_unless_the_dialect_escapes(void **state)
{
	assert_words(&plain, "a\\ b\\", "a\\|b\\");
	assert_words(&plain, "\"a\\\" b", "a\\|b");
	assert_words(&shell, "a\\ b \\'c \\\\", "a b|'c|\\");
	assert_words(&items, "a\\,b", "a,b");
}

static void each_kind_of_quote_has_its_own_escapes(void **state)
{
	assert_words(&shell, "'a\\b \\\"'", "a\\b \\\"");
	assert_words(&shell, "'it\\'s so' x", "it's so|x");
	assert_words(&shell, "\"\\\" \\\\ \\$ \\` \\n\"", "\" \\ $ ` \\n");
	assert_words(&items, "'a\\'b' \"c\\n\"", "a'b|cn");
}

static void a_last_backslash_is_plain_or_an_error(void **state)
{
	assert_words(&items, "a b\\", "a|b\\");
	assert_refused(&shell, "a b\\", OW_WORDS_BACKSLASH);
	/* Within quotes, the open quote is the error. */
	assert_refused(&shell, "\"b\\", OW_WORDS_QUOTE);
	assert_refused(&shell, "'b\\", OW_WORDS_QUOTE);
}

static void an_open_quote_is_an_error_or_ends_with_the_text(void **state)
{
	static const struct ow_words lenient = { .separators = " ",
						 .open_quote = true };

	assert_refused(&plain, "a 'b", OW_WORDS_QUOTE);
	assert_refused(&plain, "a \"b'", OW_WORDS_QUOTE);
	assert_words(&lenient, "a 'b c", "a|b c");
	assert_words(&lenient, "a '", "a|");
}

static void a_comment_begins_only_where_a_word_could(void **state)
{
	static const struct ow_words w = { .separators = " ",
					   .comment = '#' };

	assert_words(&w, "# nothing", "");
	assert_words(&w, "a#b # c", "a#b");
	assert_words(&w, "'#' a", "#|a");
	assert_words(&plain, "# a", "#|a");
}

static void a_word_ends_before_its_separator(void **state)
{
	static const struct ow_words key = { .separators = " =" };
	const char *text = "a'='b=c", *pos = text;
	char buf[8];

	assert_int_equal(ow_words_take(&key, &pos, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "a=b");
	assert_string_equal(pos, "=c");
	assert_int_equal(ow_words_take(&key, &pos, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	assert_string_equal(pos, "=c");
}

static void a_small_buffer_is_an_error_and_the_position_stays(void **state)
{
	const char *text = "abcd", *pos = text;
	char buf[4], *argv[4];
	int n = -1;

	assert_int_equal(ow_words_take(&plain, &pos, buf, 4), -E2BIG);
	assert_ptr_equal(pos, text);
	assert_int_equal(ow_words_split(&plain, "a b ", buf, 4, argv, 4, &n),
			 -E2BIG);
	assert_int_equal(n, -1);
}

static void too_many_words_are_an_error(void **state)
{
	char buf[16], *argv[3];
	int n = -1;

	assert_int_equal(ow_words_split(&plain, "a b", buf, 16, argv, 3, &n),
			 0);
	assert_int_equal(n, 2);
	assert_int_equal(ow_words_split(&plain, "a b c", buf, 16, argv, 3, &n),
			 -E2BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(separators_are_those_of_the_dialect),
		cmocka_unit_test(
		    quotes_keep_separators_and_may_begin_within_a_word),
		cmocka_unit_test(
		    a_backslash_is_plain_unless_the_dialect_escapes),
		cmocka_unit_test(each_kind_of_quote_has_its_own_escapes),
		cmocka_unit_test(a_last_backslash_is_plain_or_an_error),
		cmocka_unit_test(
		    an_open_quote_is_an_error_or_ends_with_the_text),
		cmocka_unit_test(a_comment_begins_only_where_a_word_could),
		cmocka_unit_test(a_word_ends_before_its_separator),
		cmocka_unit_test(
		    a_small_buffer_is_an_error_and_the_position_stays),
		cmocka_unit_test(too_many_words_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
