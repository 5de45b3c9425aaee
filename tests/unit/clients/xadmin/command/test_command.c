/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_command.c - command lines are taken apart, commands are found
 */
#include "clients/xadmin/command/args.h"
#include "clients/xadmin/command/others.h"
#include "clients/xadmin/command/run.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char words_buf[OW_WORDS_LEN];
static char *words[OW_ARGS_MAX];

static int split(const char *line)
{
	return ow_args_split(line, words_buf, sizeof(words_buf), words);
}

static void commands_of_other_runtimes_have_a_reason(void **state)
{
	(void)state;
	assert_null(ow_command_of_others("mqmv"));
	assert_null(ow_command_of_others("pt"));
	assert_non_null(ow_command_of_others("gen"));
	assert_null(ow_command_of_others("mqm"));
	assert_null(ow_command_of_others("p"));
	assert_null(ow_command_of_others(""));
	assert_null(ow_command_of_others(" pt "));
	assert_null(ow_command_of_others("psc"));
}

static void no_command_of_xadmin_is_listed_as_one_of_others(void **state)
{
	const struct ow_cmd *c;

	(void)state;
	for (size_t i = 0; (c = ow_cmd_at(i)) != NULL; i++)
		assert_null(ow_command_of_others(c->name));
}

static void blanks_separate_words(void **state)
{
	(void)state;
	assert_int_equal(split("  stop\t-i  10 \n"), 3);
	assert_string_equal(words[0], "stop");
	assert_string_equal(words[1], "-i");
	assert_string_equal(words[2], "10");
	assert_null(words[3]);
}

static void quotes_and_backslashes_keep_blanks(void **state)
{
	(void)state;
	assert_int_equal(split("echo \"a b\" 'c \\d' e\\ f \"\""), 5);
	assert_string_equal(words[1], "a b");
	assert_string_equal(words[2], "c \\d");
	assert_string_equal(words[3], "e f");
	assert_string_equal(words[4], "");
}

static void a_comment_ends_the_line_only_at_a_word(void **state)
{
	(void)state;
	assert_int_equal(split("# nothing"), 0);
	assert_int_equal(split("echo a#b # c"), 2);
	assert_string_equal(words[1], "a#b");
}

static void an_open_quote_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(split("echo \"a b"), -EINVAL);
	assert_int_equal(split("echo 'a"), -EINVAL);
}

static void too_many_words_are_an_error(void **state)
{
	char line[2 * OW_ARGS_MAX + 1];

	(void)state;
	memset(line, 'a', sizeof(line));
	for (size_t i = 1; i < sizeof(line); i += 2)
		line[i] = ' ';
	line[sizeof(line) - 1] = '\0';
	assert_int_equal(split(line), -E2BIG);
}

static void commands_are_found_by_each_of_their_names(void **state)
{
	(void)state;
	assert_ptr_equal(ow_cmd_find("q"), ow_cmd_find("quit"));
	assert_ptr_equal(ow_cmd_find("exit"), ow_cmd_find("quit"));
	assert_ptr_equal(ow_cmd_find("r"), ow_cmd_find("restart"));
	assert_ptr_equal(ow_cmd_find("sr"), ow_cmd_find("sreload"));
	assert_ptr_equal(ow_cmd_find("pe"), ow_cmd_find("printenv"));
	assert_ptr_equal(ow_cmd_find("-v"), ow_cmd_find("ver"));
	assert_null(ow_cmd_find("nosuch"));
	assert_null(ow_cmd_find(""));
}

static void no_two_commands_share_a_name(void **state)
{
	const struct ow_cmd *c;
	size_t i;

	(void)state;
	for (i = 0; (c = ow_cmd_at(i)) != NULL; i++) {
		assert_ptr_equal(ow_cmd_find(c->name), c);
		if (c->alias != NULL)
			assert_ptr_equal(ow_cmd_find(c->alias), c);
		if (c->alias2 != NULL)
			assert_ptr_equal(ow_cmd_find(c->alias2), c);
	}
}

static void every_command_says_what_it_does(void **state)
{
	const struct ow_cmd *c;
	size_t i;

	(void)state;
	for (i = 0; (c = ow_cmd_at(i)) != NULL; i++) {
		assert_non_null(c->run);
		assert_non_null(c->brief);
		assert_non_null(c->synopsis);
		assert_non_null(c->options);
		assert_non_null(c->group);
	}
}

static void typing_errors_get_a_suggestion(void **state)
{
	(void)state;
	assert_string_equal(ow_cmd_suggest("strat")->name, "start");
	assert_string_equal(ow_cmd_suggest("stpo")->name, "stop");
	assert_string_equal(ow_cmd_suggest("reloda")->name, "reload");
	assert_string_equal(ow_cmd_suggest("doctro")->name, "doctor");
	assert_string_equal(ow_cmd_suggest("print")->name, "printenv");
	assert_null(ow_cmd_suggest("zzzzzz"));
	assert_null(ow_cmd_suggest("a_name_much_longer_than_any_command_is"));
}

static void options_come_with_or_without_a_blank(void **state)
{
	char *a1[] = { "stop", "-y", "-i", "10", NULL };
	char *a2[] = { "stop", "-i10", "-y", NULL };
	const struct ow_cmd *stop = ow_cmd_find("stop");
	struct ow_args a;

	(void)state;
	assert_true(ow_args_parse(stop, 4, a1, &a));
	assert_true(ow_args_has(&a, 'y'));
	assert_string_equal(ow_args_value(&a, 'i'), "10");
	assert_null(ow_args_value(&a, 's'));
	/* A second line in the same process starts afresh. */
	assert_true(ow_args_parse(stop, 3, a2, &a));
	assert_true(ow_args_has(&a, 'y'));
	assert_string_equal(ow_args_value(&a, 'i'), "10");
}

static void options_may_be_given_several_times(void **state)
{
	char *argv[] = { "start", "-i", "1", "-s", "sv", "-i", "2", NULL };
	struct ow_args a;

	(void)state;
	assert_true(ow_args_parse(ow_cmd_find("start"), 7, argv, &a));
	assert_int_equal(a.n_opts, 3);
	assert_string_equal(a.opts[0].value, "1");
	assert_string_equal(a.opts[1].value, "sv");
	assert_string_equal(a.opts[2].value, "2");
}

/* More than words that are typed: tmboot gives an -i for each server. */
static void there_is_room_for_an_option_of_each_server(void **state)
{
	enum { SERVERS = 2000 };
	static char *argv[1 + 2 * SERVERS + 1];
	static struct ow_args a;
	int i;

	(void)state;
	argv[0] = (char *)"start";
	for (i = 0; i < SERVERS; i++) {
		argv[1 + 2 * i] = (char *)"-i";
		argv[2 + 2 * i] = (char *)"7";
	}
	assert_true(ow_args_parse(ow_cmd_find("start"), 1 + 2 * SERVERS, argv,
				  &a));
	assert_int_equal(a.n_opts, SERVERS);
}

static void empty_words_are_refused(void **state)
{
	char *all[] = { "repair", "-a", "-y", "", NULL };
	char *one[] = { "sreload", "-y", "sv", "", NULL };
	char *raw[] = { "echo", "", NULL };
	struct ow_args a;

	(void)state;
	assert_false(ow_args_parse(ow_cmd_find("repair"), 4, all, &a));
	assert_false(ow_args_parse(ow_cmd_find("sreload"), 4, one, &a));
	assert_true(ow_args_parse(ow_cmd_find("echo"), 2, raw, &a));
}

static void json_is_an_option_of_listings_only(void **state)
{
	char *psc[] = { "psc", "--json", NULL };
	char *stop[] = { "stop", "--json", NULL };
	struct ow_args a;

	(void)state;
	assert_true(ow_args_parse(ow_cmd_find("psc"), 2, psc, &a));
	assert_true(a.form.json);
	assert_false(ow_args_parse(ow_cmd_find("stop"), 2, stop, &a));
}

static void listings_are_also_csv_and_wide_and_watched(void **state)
{
	char *argv[] = { "psc",		"--csv",    "--wide",
			 "--watch=0.5", "--narrow", NULL };
	char *plain[] = { "psc", "--watch", NULL };
	struct ow_args a;

	(void)state;
	assert_true(ow_args_parse(ow_cmd_find("psc"), 5, argv, &a));
	assert_true(a.form.narrow);
	assert_true(a.form.csv);
	assert_true(a.form.json); /* for programs */
	assert_true(a.form.wide);
	assert_int_equal(a.watch_ms, 500);
	assert_true(ow_args_parse(ow_cmd_find("psc"), 2, plain, &a));
	assert_int_equal(a.watch_ms, 2000);
	assert_false(a.form.json);
}

static void a_time_to_watch_is_checked(void **state)
{
	static const char *const bad[] = { "", "x", "0", "0.001", "-1",
					   "90000", "1 s" };
	char word[32], *argv[] = { "psc", word, NULL };
	struct ow_args a;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(word, sizeof(word), "--watch=%s", bad[i]);
		assert_false(ow_args_parse(ow_cmd_find("psc"), 2, argv, &a));
	}
}

static void help_is_an_option_of_every_command(void **state)
{
	char *argv[] = { "stop", "--help", NULL };
	struct ow_xadmin x = { .quit = false };
	struct ow_args a;

	(void)state;
	assert_false(ow_args_parse(ow_cmd_find("stop"), 2, argv, &a));
	assert_true(a.help);
	assert_int_equal(ow_run_command(&x, 2, argv), OW_EXIT_OK);
}

static void synopses_name_every_option(void **state)
{
	const char *p;
	char letter[4];
	const struct ow_cmd *c;
	size_t i;

	(void)state;
	for (i = 0; (c = ow_cmd_at(i)) != NULL; i++) {
		for (p = c->options; *p != '\0'; p++) {
			if (*p == ':')
				continue;
			snprintf(letter, sizeof(letter), "-%c", *p);
			if (strstr(c->synopsis, letter) == NULL &&
			    strcmp(c->name, "stop") != 0 &&
			    strcmp(c->name, "reload") != 0)
				fail_msg("%s: %s", c->name, letter);
		}
	}
}

static void wrong_options_and_words_are_refused(void **state)
{
	char *unknown[] = { "psc", "-z", NULL };
	char *missing[] = { "stop", "-i", NULL };
	char *extra[] = { "psc", "what", NULL };
	struct ow_args a;

	(void)state;
	assert_false(ow_args_parse(ow_cmd_find("psc"), 2, unknown, &a));
	assert_false(ow_args_parse(ow_cmd_find("stop"), 2, missing, &a));
	assert_false(ow_args_parse(ow_cmd_find("psc"), 2, extra, &a));
}

static void server_ids_are_numbers_in_range(void **state)
{
	struct ow_args a = { .cmd = ow_cmd_find("stop") };

	(void)state;
	assert_int_equal(ow_args_srvid(&a, "1"), 1);
	assert_int_equal(ow_args_srvid(&a, "65535"), 65535);
	assert_int_equal(ow_args_srvid(&a, "0"), 0);
	assert_int_equal(ow_args_srvid(&a, "65536"), 0);
	assert_int_equal(ow_args_srvid(&a, "12x"), 0);
	assert_int_equal(ow_args_srvid(&a, ""), 0);
	assert_int_equal(ow_args_srvid(&a, "-1"), 0);
}

static void exit_codes_tell_unknown_from_failed(void **state)
{
	struct ow_xadmin x = { .quit = false };

	(void)state;
	assert_int_equal(ow_run_line(&x, "nosuch"), OW_EXIT_UNKNOWN);
	assert_int_equal(ow_run_line(&x, "psc -z"), OW_EXIT_USAGE);
	assert_int_equal(ow_run_line(&x, "# comment"), OW_EXIT_OK);
	assert_int_equal(ow_run_line(&x, ""), OW_EXIT_OK);
	assert_false(x.quit);
	assert_int_equal(ow_run_line(&x, "quit"), OW_EXIT_OK);
	assert_true(x.quit);
}

static void set_and_unset_change_the_environment(void **state)
{
	struct ow_xadmin x = { .quit = false };

	(void)state;
	assert_int_equal(ow_run_line(&x, "set OW_TEST_A=b=c"), OW_EXIT_OK);
	assert_string_equal(getenv("OW_TEST_A"), "b=c");
	assert_int_equal(ow_run_line(&x, "set OW_TEST_A = d"), OW_EXIT_OK);
	assert_string_equal(getenv("OW_TEST_A"), "d");
	assert_int_equal(ow_run_line(&x, "unset OW_TEST_A"), OW_EXIT_OK);
	assert_null(getenv("OW_TEST_A"));
	assert_int_equal(ow_run_line(&x, "set =x"), OW_EXIT_USAGE);
	assert_int_equal(ow_run_line(&x, "set"), OW_EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_of_other_runtimes_have_a_reason),
		cmocka_unit_test(
		    no_command_of_xadmin_is_listed_as_one_of_others),
		cmocka_unit_test(blanks_separate_words),
		cmocka_unit_test(quotes_and_backslashes_keep_blanks),
		cmocka_unit_test(a_comment_ends_the_line_only_at_a_word),
		cmocka_unit_test(an_open_quote_is_an_error),
		cmocka_unit_test(too_many_words_are_an_error),
		cmocka_unit_test(commands_are_found_by_each_of_their_names),
		cmocka_unit_test(no_two_commands_share_a_name),
		cmocka_unit_test(every_command_says_what_it_does),
		cmocka_unit_test(typing_errors_get_a_suggestion),
		cmocka_unit_test(options_come_with_or_without_a_blank),
		cmocka_unit_test(options_may_be_given_several_times),
		cmocka_unit_test(there_is_room_for_an_option_of_each_server),
		cmocka_unit_test(empty_words_are_refused),
		cmocka_unit_test(json_is_an_option_of_listings_only),
		cmocka_unit_test(listings_are_also_csv_and_wide_and_watched),
		cmocka_unit_test(a_time_to_watch_is_checked),
		cmocka_unit_test(help_is_an_option_of_every_command),
		cmocka_unit_test(synopses_name_every_option),
		cmocka_unit_test(wrong_options_and_words_are_refused),
		cmocka_unit_test(server_ids_are_numbers_in_range),
		cmocka_unit_test(exit_codes_tell_unknown_from_failed),
		cmocka_unit_test(set_and_unset_change_the_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
