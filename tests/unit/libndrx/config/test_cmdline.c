/* SPDX-License-Identifier: Apache-2.0 */
/* test_cmdline.c - quoted texts become the words a user meant */
#include "libndrx/config/cmdline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct split_case {
	const char *text;
	const char *words; /* joined by | */
};

static void join(const struct ow_cmdline *cmd, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < cmd->argc; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s",
				      i > 0 ? "|" : "", cmd->argv[i]);
}

static void words_follow_the_quoting_rules(void **state)
{
	static const struct split_case cases[] = {
		{ "", "" },
		{ " \t\n ", "" },
		{ "-e /log/x -r", "-e|/log/x|-r" },
		{ "  a   b\n\tc ", "a|b|c" },
		{ "'a b' c", "a b|c" },
		{ "\"a b\" c", "a b|c" },
		{ "a\\ b c", "a b|c" },
		{ "x'y z'\"1 2\"w", "xy z1 2w" },
		{ "'' \"\" a", "||a" },
		{ "'a\\b'", "a\\b" },
		{ "\"a\\\"b\\\\c\\n\"", "a\"b\\c\\n" },
		{ "\"it's\" 'say \"x\"'", "it's|say \"x\"" },
		{ "\\'a \\\"b", "'a|\"b" },
		{ "-- -x=$HOME *.c ;ls", "--|-x=$HOME|*.c|;ls" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ow_cmdline cmd = { 0 };
		char joined[200];

		assert_int_equal(ow_cmdline_split(&cmd, cases[i].text), 0);
		join(&cmd, joined, sizeof(joined));
		assert_string_equal(joined, cases[i].words);
		ow_cmdline_clear(&cmd);
	}
}

static void the_first_word_of_two_dashes_is_found(void **state)
{
	static const struct {
		const char *text;
		size_t begin;
		const char *behind;
	} cases[] = {
		{ "", 0, "" },	       { "-a b", 4, "" },
		{ "-a -- b", 3, " b" }, { "--", 0, "" },
		{ "-- -- c", 0, " -- c" }, { "--x '-- ' --", 10, "" },
		{ "a '--' b", 2, " b" },
	};
	const char *begin, *behind;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(ow_cmdline_dashes(cases[i].text, &begin,
						   &behind), 0);
		assert_int_equal(begin - cases[i].text, cases[i].begin);
		assert_string_equal(behind, cases[i].behind);
	}
	assert_int_equal(ow_cmdline_dashes("a 'b", &begin, &behind),
			 OW_CMDLINE_QUOTE);
}

static void open_quotes_and_last_backslashes_are_refused(void **state)
{
	struct ow_cmdline cmd = { 0 };

	assert_int_equal(ow_cmdline_add(&cmd, "program"), 0);
	assert_int_equal(ow_cmdline_split(&cmd, "a 'b"), OW_CMDLINE_QUOTE);
	assert_int_equal(ow_cmdline_split(&cmd, "a \"b"), OW_CMDLINE_QUOTE);
	assert_int_equal(ow_cmdline_split(&cmd, "\"b\\"), OW_CMDLINE_QUOTE);
	assert_int_equal(ow_cmdline_split(&cmd, "a b\\"),
			 OW_CMDLINE_BACKSLASH);
	/* Nothing of the failed texts remains. */
	assert_int_equal(cmd.argc, 1);
	assert_null(cmd.argv[1]);
	ow_cmdline_clear(&cmd);
}

static void a_command_line_grows_from_texts_and_words(void **state)
{
	struct ow_cmdline cmd = { 0 };
	char joined[200];

	assert_int_equal(ow_cmdline_add(&cmd, "my server"), 0);
	assert_int_equal(ow_cmdline_split(&cmd, NULL), 0);
	assert_int_equal(ow_cmdline_split(&cmd, "-A -r"), 0);
	assert_int_equal(ow_cmdline_add(&cmd, "--"), 0);
	assert_int_equal(ow_cmdline_split(&cmd, "'x y'"), 0);
	join(&cmd, joined, sizeof(joined));
	assert_string_equal(joined, "my server|-A|-r|--|x y");
	assert_null(cmd.argv[cmd.argc]);
	ow_cmdline_clear(&cmd);
	assert_null(cmd.argv);
}

static void a_long_line_keeps_every_word(void **state)
{
	struct ow_cmdline cmd = { 0 };

	for (int i = 0; i < 1000; i++)
		assert_int_equal(ow_cmdline_split(&cmd, "a b c"), 0);
	assert_int_equal(cmd.argc, 3000);
	assert_string_equal(cmd.argv[2999], "c");
	ow_cmdline_clear(&cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_follow_the_quoting_rules),
		cmocka_unit_test(the_first_word_of_two_dashes_is_found),
		cmocka_unit_test(open_quotes_and_last_backslashes_are_refused),
		cmocka_unit_test(a_command_line_grows_from_texts_and_words),
		cmocka_unit_test(a_long_line_keeps_every_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
