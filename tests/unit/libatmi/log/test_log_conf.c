/* SPDX-License-Identifier: Apache-2.0 */
/* test_log_conf.c - the debug log's configuration, read from text */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "libatmi/log/conf.h"
#include "tests/unit/libatmi/scratch.h"

static struct ow_log_conf conf;

static int fresh(void **state)
{
	unsetenv("NDRX_DEBUG_CONF");
	unsetenv("NDRX_DEBUG_STR");
	unsetenv("NDRX_SVPROCNAME");
	unsetenv("NDRX_DFLTLOG");
	ow_log_conf_init(&conf);
	return 0;
}

static void assert_levels(int ndrx, int ubf, int tp)
{
	assert_int_equal(conf.level[0], ndrx);
	assert_int_equal(conf.level[1], ubf);
	assert_int_equal(conf.level[2], tp);
}

static void nothing_configured_means_errors_to_standard_error(void **state)
{
	ow_log_conf_load(&conf, "prog");
	assert_levels(2, 2, 2);
	assert_string_equal(conf.file, "");
	assert_string_equal(conf.problem, "");
}

static void a_string_sets_levels_and_file(void **state)
{
	assert_int_equal(
	    ow_log_conf_string(&conf, "ndrx=5 ubf=0,tp=4\tfile='a b.log' "
				      "bufsz=10 lines=1 threaded=y mkdir=y "
				      "iflags=detailed other=1"), 0);
	assert_levels(5, 0, 4);
	assert_string_equal(conf.file, "a b.log");
	assert_string_equal(conf.iflags, "detailed");
	assert_true(conf.mkdir);
}

static void variables_are_replaced_in_values(void **state)
{
	setenv("OW_TEST_DIR", "/var/x", 1);
	ow_log_conf_string(&conf, "file=${OW_TEST_DIR}/a.log");
	assert_string_equal(conf.file, "/var/x/a.log");
}

static void a_bad_value_is_reported_and_the_rest_applies(void **state)
{
	assert_int_equal(ow_log_conf_string(&conf, "ndrx=loud tp=5"), -EINVAL);
	assert_levels(2, 2, 5);
	assert_non_null(strstr(conf.problem, "ndrx"));
	assert_non_null(strstr(conf.problem, "loud"));
}

static void an_encrypted_value_is_reported(void **state)
{
	assert_int_equal(ow_log_conf_string(&conf, "file=${dec=QUJD}"),
			 -EINVAL);
	assert_non_null(strstr(conf.problem, "not encrypted with the key"));
}

static void the_program_line_comes_after_the_default_line(void **state)
{
	const char *path = scratch_path("debug.conf");

	scratch_write(path, "# comment\n"
			    "prog tp=5 file=prog.log\n"
			    "program tp=1\n"
			    "* ndrx=3 tp=3 file=all.log\n");
	assert_int_equal(ow_log_conf_file(&conf, path, NULL, "prog"), 0);
	assert_levels(3, 2, 5);
	assert_string_equal(conf.file, "prog.log");
	ow_log_conf_init(&conf);
	assert_int_equal(ow_log_conf_file(&conf, path, NULL, "pro"), 0);
	assert_levels(3, 2, 3);
}

static void a_pattern_comes_between_default_and_program(void **state)
{
	const char *path = scratch_path("debug.conf");

	scratch_write(path, "all_bank match=bank.* ndrx=4 ubf=4 tp=4\n"
			    "banksv tp=5\n"
			    "others rebins='(a|b)sv' ndrx=5\n"
			    "* ndrx=3 ubf=3 tp=3\n");
	assert_int_equal(ow_log_conf_file(&conf, path, "banksv", NULL), 0);
	assert_levels(4, 4, 5);
	ow_log_conf_init(&conf);
	assert_int_equal(ow_log_conf_file(&conf, path, NULL, "asv"), 0);
	assert_levels(5, 3, 3);
	ow_log_conf_init(&conf);
	assert_int_equal(ow_log_conf_file(&conf, path, "mybanksv", "x"), 0);
	assert_levels(3, 3, 3);
	assert_string_equal(conf.problem, "");
}

static void a_bad_pattern_is_reported(void **state)
{
	const char *path = scratch_path("debug.conf");

	scratch_write(path, "all match='(' tp=5\n");
	ow_log_conf_file(&conf, path, NULL, "prog");
	assert_levels(2, 2, 2);
	assert_non_null(strstr(conf.problem, "not a regular expression: ("));
}

static void format_and_threaded_are_chosen(void **state)
{
	assert_int_equal(ow_log_conf_string(&conf, "format=json threaded=y"),
			 0);
	assert_true(conf.json);
	assert_true(conf.per_thread);
	assert_int_equal(ow_log_conf_string(&conf, "format=text threaded=l"),
			 0);
	assert_false(conf.json);
	assert_false(conf.per_thread);
	assert_int_equal(ow_log_conf_string(&conf, "format=xml"), -EINVAL);
	assert_non_null(strstr(conf.problem, "xml"));
	assert_int_equal(ow_log_conf_string(&conf, "threaded=maybe"), -EINVAL);
}

static void the_servers_name_is_matched_before_the_programs(void **state)
{
	const char *path = scratch_path("debug.conf");

	scratch_write(path, "server tp=4\njava tp=5\n");
	setenv("NDRX_DEBUG_CONF", path, 1);
	setenv("NDRX_SVPROCNAME", "server", 1);
	ow_log_conf_load(&conf, "java");
	assert_levels(2, 2, 4);
	setenv("NDRX_SVPROCNAME", "unknown", 1);
	ow_log_conf_load(&conf, "java");
	assert_levels(2, 2, 5);
}

static void the_inline_string_wins_over_the_file(void **state)
{
	const char *path = scratch_path("debug.conf");

	scratch_write(path, "* ndrx=3 tp=3 file=all.log\n");
	setenv("NDRX_DEBUG_CONF", path, 1);
	setenv("NDRX_DEBUG_STR", "tp=5", 1);
	ow_log_conf_load(&conf, "prog");
	assert_levels(3, 2, 5);
	assert_string_equal(conf.file, "all.log");
}

static void a_line_without_tp_has_level_5(void **state)
{
	const char *path = scratch_path("no_tp.conf");

	scratch_write(path, "* ndrx=3 ubf=1\n");
	setenv("NDRX_DEBUG_CONF", path, 1);
	unsetenv("NDRX_DEBUG_STR");
	ow_log_conf_load(&conf, "prog");
	assert_levels(3, 1, 5);
	setenv("NDRX_DEBUG_STR", "tp=4", 1);
	ow_log_conf_load(&conf, "prog");
	assert_levels(3, 1, 4);
	unsetenv("NDRX_DEBUG_STR");
}

static void a_missing_file_is_reported_and_defaults_hold(void **state)
{
	setenv("NDRX_DEBUG_CONF", scratch_path("absent"), 1);
	ow_log_conf_load(&conf, "prog");
	assert_levels(2, 2, 2);
	assert_non_null(strstr(conf.problem, "absent"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup(test, fresh)
		T(nothing_configured_means_errors_to_standard_error),
		T(a_string_sets_levels_and_file),
		T(variables_are_replaced_in_values),
		T(a_bad_value_is_reported_and_the_rest_applies),
		T(an_encrypted_value_is_reported),
		T(the_program_line_comes_after_the_default_line),
		T(a_pattern_comes_between_default_and_program),
		T(a_bad_pattern_is_reported),
		T(format_and_threaded_are_chosen),
		T(the_servers_name_is_matched_before_the_programs),
		T(the_inline_string_wins_over_the_file),
		T(a_line_without_tp_has_level_5),
		T(a_missing_file_is_reported_and_defaults_hold),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
