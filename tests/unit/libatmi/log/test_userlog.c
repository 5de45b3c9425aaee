/* SPDX-License-Identifier: Apache-2.0 */
/* test_userlog.c - the log for operators */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>
#include <userlog.h>

#include "tests/unit/libatmi/log/log_fixture.h"

static char ulog[256];

static int fresh_ulog(void **state)
{
	time_t now = time(NULL);
	char name[32];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(name, sizeof(name), "ULOG.%Y%m%d", &tm);
	snprintf(ulog, sizeof(ulog), "%s", scratch_path(name));
	unlink(ulog);
	setenv("NDRX_ULOG", scratch_dir, 1);
	setenv("NDRX_SVPROCNAME", "mysv", 1);
	return 0;
}

static void a_line_has_pid_date_time_program_and_text(void **state)
{
	errno = EINTR;
	assert_int_equal(userlog((char *)"value %d", 42), 0);
	assert_int_equal(errno, EINTR);
	assert_int_equal(
	    lines_in(ulog, "^[0-9]{5,}:[0-9]{8}:[0-9]{8}:mysv        :value 42$"),
	    1);
}

static void a_program_may_give_its_lines_another_name(void **state)
{
	extern char *proc_name;

	assert_string_equal(proc_name, program_invocation_short_name);
	proc_name = (char *)"teller";
	assert_int_equal(userlog((char *)"named"), 0);
	proc_name = NULL;
	assert_int_equal(lines_in(ulog, ":teller      :named$"), 1);
}

static void with_ulogpfx_the_file_is_called_as_tuxedo_calls_it(void **state)
{
	time_t now = time(NULL);
	char name[32];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(name, sizeof(name), "LOG.%m%d%y", &tm);
	snprintf(ulog, sizeof(ulog), "%s", scratch_path("LOG"));
	setenv("ULOGPFX", ulog, 1);
	snprintf(ulog, sizeof(ulog), "%s", scratch_path(name));
	unlink(ulog);
	assert_int_equal(userlog_const("there"), 0);
	assert_int_equal(lines_in(ulog, ":there$"), 1);
	unsetenv("ULOGPFX");
	assert_int_equal(userlog_const("elsewhere"), 0);
	assert_int_equal(lines_in(ulog, ":elsewhere$"), 0);
}

static void a_constant_is_not_a_format(void **state)
{
	userlog_const("100%s %n\n");
	assert_int_equal(lines_in(ulog, ":100%s %n$"), 1);
}

static void a_long_text_is_cut_to_one_line(void **state)
{
	char text[10000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(userlog_const(text), 0);
	assert_int_equal(lines_in(ulog, "x{200}"), 1);
	assert_int_equal(lines_in(ulog, "."), 1);
}

static void *writer(void *arg)
{
	for (int i = 0; i < 100; i++)
		userlog((char *)"thread %s line %d end", (char *)arg, i);
	return NULL;
}

static void lines_of_threads_do_not_mix(void **state)
{
	static char names[4][2] = { "a", "b", "c", "d" };
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, writer, names[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(lines_in(ulog, "mysv        :thread . line [0-9]+ end$"),
			 400);
	assert_int_equal(lines_in(ulog, "."), 400);
}

static void a_line_that_cannot_be_written_is_lost(void **state)
{
	setenv("NDRX_ULOG", scratch_path("no/such/folder"), 1);
	assert_int_equal(userlog_const("x"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup(test, fresh_ulog)
		T(a_line_has_pid_date_time_program_and_text),
		T(a_program_may_give_its_lines_another_name),
		T(with_ulogpfx_the_file_is_called_as_tuxedo_calls_it),
		T(a_constant_is_not_a_format),
		T(a_long_text_is_cut_to_one_line),
		T(lines_of_threads_do_not_mix),
		T(a_line_that_cannot_be_written_is_lost),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
