/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_chosen.c - the command line of tmboot and tmshutdown
 */
#include "clients/tm/chosen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct chosen got;
static int own;		   /* options of the program itself */
static const FILE *helped; /* where the usage went */

static void usage(FILE *out)
{
	helped = out;
}

static int take(void *arg, int option)
{
	assert_ptr_equal(arg, &own);
	own++;
	return option == 'x' ? -1 : 0;
}

/* Words up to NULL. */
static int read_words(const char *const *words)
{
	const struct chosen_program program = {
		.name = "tmtest", .options = "yAMSs:g:i:qxh",
		.usage = usage, .take = take, .arg = &own
	};
	static char *argv[RUN_WORDS * 3];
	int argc = 1;

	argv[0] = (char *)"tmtest";
	for (; *words != NULL; words++)
		argv[argc++] = (char *)*words;
	argv[argc] = NULL;
	got = (struct chosen){ .n = CHOSEN_FIRST };
	own = 0;
	helped = NULL;
	optind = 1;
	return chosen_read(&got, &program, argc, argv);
}

#define READ(...) read_words((const char *const[]){ __VA_ARGS__, NULL })

static void a_server_of_tuxedo_is_chosen_by_its_name_there(void **state)
{
	(void)state;
	assert_int_equal(READ("-s", "TMUSREVT", "-s", "TMQUEUE", "-s", "mine"),
			 -1);
	assert_string_equal(got.words[CHOSEN_FIRST + 1], "tpevsrv");
	assert_string_equal(got.words[CHOSEN_FIRST + 3], "tmqueue");
	assert_string_equal(got.words[CHOSEN_FIRST + 5], "mine");
}

static void options_say_which_processes(void **state)
{
	(void)state;
	assert_int_equal(READ("-y", "-S"), -1);
	assert_true(got.sure && got.servers && !got.admin);
	assert_int_equal(READ("-M"), -1);
	assert_true(got.admin && !got.servers && !got.sure);
	assert_int_equal(got.n, CHOSEN_FIRST);
	assert_int_equal(READ("-q", "-s", "banksv", "-i", "5", "-gG"), -1);
	assert_int_equal(own, 1);
	assert_int_equal(got.n, CHOSEN_FIRST + 6);
	assert_string_equal(got.words[CHOSEN_FIRST], "-s");
	assert_string_equal(got.words[CHOSEN_FIRST + 1], "banksv");
	assert_string_equal(got.words[CHOSEN_FIRST + 5], "G");
}

static void a_wrong_command_line_is_status_2_help_is_0(void **state)
{
	(void)state;
	opterr = 0;
	assert_int_equal(READ("-Z"), 2);
	assert_ptr_equal(helped, stderr);
	assert_int_equal(READ("-y", "word"), 2);
	assert_ptr_equal(helped, stderr);
	assert_int_equal(READ("-x"), 2);
	assert_null(helped);
	assert_int_equal(READ("-h"), 0);
	assert_ptr_equal(helped, stdout);
	assert_int_equal(READ("--help"), 0);
	assert_ptr_equal(helped, stdout);
}

static void an_id_is_added_as_it_is(void **state)
{
	(void)state;
	assert_int_equal(READ("-S"), -1);
	assert_true(chosen_add_id(&got, 65535));
	assert_true(chosen_add_id(&got, 12345678901));
	assert_string_equal(got.words[CHOSEN_FIRST], "-i");
	assert_string_equal(got.words[CHOSEN_FIRST + 1], "65535");
	assert_string_equal(got.words[CHOSEN_FIRST + 3], "12345678901");
}

static void too_many_servers_are_refused(void **state)
{
	static const char *words[RUN_WORDS * 2 + 1];
	int i, n = 0;

	(void)state;
	for (i = 0; i < RUN_WORDS; i++) {
		words[n++] = "-i";
		words[n++] = "7";
	}
	assert_int_equal(read_words(words), 2);
	/* There is room for -k and the NULL at the end. */
	assert_true(got.n + 2 <= RUN_WORDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_of_tuxedo_is_chosen_by_its_name_there),
		cmocka_unit_test(options_say_which_processes),
		cmocka_unit_test(a_wrong_command_line_is_status_2_help_is_0),
		cmocka_unit_test(an_id_is_added_as_it_is),
		cmocka_unit_test(too_many_servers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
