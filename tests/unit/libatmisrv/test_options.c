/* SPDX-License-Identifier: Apache-2.0 */
/* test_options.c - the command line of a server */
#include <errno.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libatmisrv/options.h"

static struct ow_options *o;

/* The argv made of NDRX_SVCLOPT is never freed, on purpose. */
const char *__lsan_default_suppressions(void)
    __attribute__((visibility("default")));
const char *__lsan_default_suppressions(void)
{
	return "leak:words_of_env";
}

static int fresh(void **state)
{
	unsetenv("NDRX_SVCLOPT");
	unsetenv("NDRX_SVPROCNAME");
	o = NULL;
	return 0;
}

static int tidy(void **state)
{
	o = ow_options_free(o);
	return 0;
}

static int parse(char *first, ...)
{
	static char *argv[64];
	va_list ap;
	char *a;
	int n = 0;

	argv[n++] = (char *)"/opt/bin/mysv";
	va_start(ap, first);
	for (a = first; a != NULL; a = va_arg(ap, char *))
		argv[n++] = a;
	va_end(ap);
	argv[n] = NULL;
	return ow_options_parse(n, argv, &o);
}

static void options_of_tuxedo_are_accepted(void **state)
{
	assert_int_equal(parse("-A", "-i", "3", "-l", "t", "-p", "1,10:2,20",
			       "-P", "-v", "-e", "/tmp/err", "--", "x", NULL),
			 0);
	assert_int_equal(o->srvid, 3);
	assert_string_equal(o->err_file, "/tmp/err");
	assert_string_equal(o->argv[1], "x");
}

static void every_option_is_parsed(void **state)
{
	assert_int_equal(parse("-i", "17", "-k", "key", "-e", "/tmp/err",
			       "-o", "/tmp/out", "-D", "5", "-N", "-B", "-G",
			       "-g", "GRP", "-R", "addr", "-r", "-t", "1.5",
			       "-x", "F,G:JSON2UBF", "-n", "SECRET", "-s", "A/B:OLD",
			       "-S", "C:func", "--", "-z", "own", NULL), 0);
	assert_string_equal(o->bin, "mysv");
	assert_int_equal(o->srvid, 17);
	assert_string_equal(o->err_file, "/tmp/err");
	assert_string_equal(o->out_file, "/tmp/out");
	assert_int_equal(o->log_level, 5);
	assert_true(o->no_advertise && o->no_builtin && o->keep_group);
	assert_string_equal(o->group, "GRP");
	assert_string_equal(o->rqaddr, "addr");
	assert_int_equal(o->ndrxd_tout_ms, 1500);
	assert_int_equal(o->nmasked, 1);
	assert_string_equal(o->masked[0], "SECRET");
	assert_int_equal(o->naliases, 2);
	assert_string_equal(o->alias[0].name, "A");
	assert_string_equal(o->alias[1].name, "B");
	assert_string_equal(o->alias[1].target, "OLD");
	assert_int_equal(o->nbuiltins, 1);
	assert_string_equal(o->builtin[0].target, "func");
	assert_int_equal(o->nconversions, 2);
	assert_string_equal(o->conversion[1].name, "G");
	assert_string_equal(o->conversion[1].target, "JSON2UBF");
	assert_int_equal(o->argc, 3);
	assert_string_equal(o->argv[0], "/opt/bin/mysv");
	assert_string_equal(o->argv[1], "-z");
	assert_string_equal(o->argv[2], "own");
	assert_null(o->argv[3]);
}

static void the_shortest_command_line_has_defaults(void **state)
{
	assert_int_equal(parse("-i", "1", NULL), 0);
	assert_int_equal(o->log_level, -1);
	assert_int_equal(o->naliases + o->nbuiltins + o->nmasked, 0);
	assert_int_equal(o->argc, 1);
	assert_null(o->argv[1]);
}

static void ids_are_numbers_from_1_to_65535(void **state)
{
	static const char *const bad[] = { "0", "-1", "65536", "x", "", "1x",
					   "1.5", " ",
					   "99999999999999999999" };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse("-i", bad[i], NULL), -EINVAL);
		assert_null(o);
	}
	assert_int_equal(parse("-N", NULL), -EINVAL);
	assert_int_equal(parse("-i", "65535", NULL), 0);
}

static void bad_values_are_refused(void **state)
{
	char many[2000];

	assert_int_equal(parse("-i", "1", "-D", "7", NULL), -EINVAL);
	assert_int_equal(parse("-i", "1", "-t", "soon", NULL), -EINVAL);
	assert_int_equal(parse("-i", "1", "-R", "@x", NULL), -EINVAL);
	assert_int_equal(parse("-i", "1", "-s", "", NULL), -EINVAL);
	assert_int_equal(parse("-i", "1", "-s", "A//B", NULL), -EINVAL);
	assert_int_equal(parse("-i", "1", "-s",
			       "A:1234567890123456789012345678901", NULL),
			 -EINVAL);
	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	assert_int_equal(parse("-i", "1", "-s", many, NULL), -EINVAL);
	assert_int_equal(parse("-i", "1", "-R", many, NULL), -EINVAL);
	assert_int_equal(parse("-i", NULL), -EINVAL);
	assert_int_equal(parse("-i", "1", "-Z", NULL), -EINVAL);
	assert_int_equal(parse("-i", "1", "-e", many, NULL), 0);
}

static void too_many_names_are_refused(void **state)
{
	char line[600];
	int i, n = 0;

	for (i = 0; i < 257; i++)
		n += snprintf(line + n, sizeof(line) - (size_t)n, "%sA",
			      i > 0 ? "/" : "");
	assert_int_equal(parse("-i", "1", "-s", line, NULL), -EINVAL);
	line[511] = '\0';
	assert_int_equal(parse("-i", "1", "-s", line, NULL), 0);
	assert_int_equal(o->naliases, 256);
}

static void help_is_not_an_error(void **state)
{
	assert_int_equal(parse("-h", NULL), OW_OPTIONS_HELP);
	assert_int_equal(parse("-?", NULL), OW_OPTIONS_HELP);
	assert_null(o);
}

static void NDRX_SVPROCNAME_overrides_the_program_name(void **state)
{
	setenv("NDRX_SVPROCNAME", "other", 1);
	assert_int_equal(parse("-i", "1", NULL), 0);
	assert_string_equal(o->bin, "other");
}

static void NDRX_SVCLOPT_replaces_missing_arguments(void **state)
{
	setenv("NDRX_SVCLOPT",
	       "  -i 20\t-e 'a file' -s \"A\":\"B C\"  "
	       "-- one '' \"t'w\"o  ", 1);
	assert_int_equal(parse(NULL), 0);
	assert_int_equal(o->srvid, 20);
	assert_string_equal(strrchr(o->err_file, '/'), "/a file");
	assert_string_equal(o->alias[0].target, "B C");
	assert_int_equal(o->argc, 4);
	assert_string_equal(o->argv[1], "one");
	assert_string_equal(o->argv[2], "");
	assert_string_equal(o->argv[3], "t'wo");
	assert_null(o->argv[4]);
}

static void arguments_override_NDRX_SVCLOPT(void **state)
{
	setenv("NDRX_SVCLOPT", "-i 20", 1);
	assert_int_equal(parse("-i", "30", NULL), 0);
	assert_int_equal(o->srvid, 30);
}

static void odd_values_of_NDRX_SVCLOPT_do_no_harm(void **state)
{
	static const char *const odd[] = { "", " ", "'", "\"", "a b c d",
					   "-i '", "-i \"1", "' '", "x'y\"z" };
	size_t i;

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		setenv("NDRX_SVCLOPT", odd[i], 1);
		if (parse(NULL) == 0)
			o = ow_options_free(o);
	}
	o = NULL;
}

static void words_go_to_the_program_before_its_options(void **state)
{
	assert_int_equal(parse("one", "-i", "1", "two", "-N", "--", "-z",
			       NULL), 0);
	assert_int_equal(o->argc, 4);
	assert_string_equal(o->argv[0], "/opt/bin/mysv");
	assert_string_equal(o->argv[1], "one");
	assert_string_equal(o->argv[2], "two");
	assert_string_equal(o->argv[3], "-z");
	assert_null(o->argv[4]);
	o = ow_options_free(o);
	assert_int_equal(parse("-i", "1", "one", NULL), 0);
	assert_int_equal(o->argc, 2);
	assert_string_equal(o->argv[1], "one");
}

static void getopt_begins_at_the_options_of_the_program(void **state)
{
	char *own[] = { (char *)"main", (char *)"-a", (char *)"-bc", NULL };

	assert_int_equal(parse("-i", "1", "-N", "--", "-z", "own", NULL), 0);
	assert_int_equal(optind, 1);
	assert_int_equal(getopt(o->argc, o->argv, "z:"), 'z');
	assert_string_equal(optarg, "own");
	assert_int_equal(getopt(o->argc, o->argv, "z:"), -1);
	o = ow_options_free(o);
	/* A main() of the program's own has parsed half of an argument. */
	optind = 1;
	assert_int_equal(getopt(3, own, "abc"), 'a');
	assert_int_equal(getopt(3, own, "abc"), 'b');
	assert_int_equal(parse("-i", "1", "--", "-z", "own", NULL), 0);
	assert_int_equal(getopt(o->argc, o->argv, "z:"), 'z');
	assert_int_equal(getopt(o->argc, o->argv, "z:"), -1);
	assert_int_equal(optind, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup_teardown(test, fresh, tidy)
		T(every_option_is_parsed),
		T(options_of_tuxedo_are_accepted),
		T(the_shortest_command_line_has_defaults),
		T(ids_are_numbers_from_1_to_65535),
		T(bad_values_are_refused),
		T(too_many_names_are_refused),
		T(help_is_not_an_error),
		T(NDRX_SVPROCNAME_overrides_the_program_name),
		T(NDRX_SVCLOPT_replaces_missing_arguments),
		T(arguments_override_NDRX_SVCLOPT),
		T(odd_values_of_NDRX_SVCLOPT_do_no_harm),
		T(words_go_to_the_program_before_its_options),
		T(getopt_begins_at_the_options_of_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
