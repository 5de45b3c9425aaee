/* SPDX-License-Identifier: Apache-2.0 */
/* test_log.c - the debug log: lines, levels, failures */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/unit/libatmi/log/log_fixture.h"

static void a_line_has_the_documented_form(void **state)
{
	ow_log_set_context(7);
	TP_LOG(log_info, "value %d", 42);
	ow_log_set_context(0);
	assert_int_equal(
	    lines_like("^t:TEST:4:[0-9a-f]{8}:[0-9]{5,}:[0-9a-f]{8}:007:"
		       "[0-9]{8}:[0-9]{12}:umented_form:st_log.c:"
		       "[0-9]{4}:value 42$"),
	    1);
}

static int evaluated;

static int count_evaluation(void)
{
	return ++evaluated;
}

static void arguments_are_not_evaluated_when_the_level_is_off(void **state)
{
	tplogconfig(ALL, 2, NULL, NULL, NULL);
	evaluated = 0;
	TP_LOG(log_info, "%d", count_evaluation());
	NDRX_LOG(log_debug, "%d", count_evaluation());
	UBF_LOG(log_warn, "%d", count_evaluation());
	log_debug("%d", count_evaluation());
	TP_DUMP(log_debug, "x", &evaluated, count_evaluation());
	TP_DUMP_DIFF(log_debug, "x", &evaluated, &evaluated,
		     count_evaluation());
	assert_int_equal(evaluated, 0);
	TP_LOG(log_error, "%d", count_evaluation());
	assert_int_equal(evaluated, 1);
	assert_int_equal(lines_like("."), 1);
}

static void each_facility_has_its_own_level_and_letter(void **state)
{
	tplogconfig(ALL, 0, "ndrx=5 ubf=3 tp=2", NULL, NULL);
	ndrxlog(5, "from ndrx");
	ubflog(4, "too detailed");
	ubflog(3, "from ubf");
	tplog(3, "too detailed");
	tplogex(2, "prog.c", 12, "from tp");
	assert_int_equal(lines_like("^N:.*:from ndrx$"), 1);
	assert_int_equal(lines_like("^U:.*:from ubf$"), 1);
	assert_int_equal(lines_like("^t:.*:prog.c  :0012:from tp$"), 1);
	assert_int_equal(lines_like("too detailed"), 0);
}

static void a_mask_changes_only_its_facilities(void **state)
{
	assert_int_equal(tplogconfig(LOG_FACILITY_TP, 1, NULL, NULL, NULL), 0);
	assert_int_equal(ow_log_level(OW_LOG_TP), 1);
	assert_int_equal(ow_log_level(OW_LOG_NDRX), 5);
}

static void a_bad_string_and_a_bad_file_are_reported(void **state)
{
	assert_int_equal(tplogconfig(ALL, -1, "tp=loud", NULL, NULL), -1);
	assert_int_equal(Nerror, NEFORMAT);
	assert_non_null(strstr(Nstrerror(Nerror), "7:NEFORMAT (last error 7"));
	assert_int_equal(tplogconfig(ALL, -1, NULL, NULL,
				     scratch_path("no/such/file")), -1);
	assert_int_equal(Nerror, NESYSTEM);
	log_error("still here");
	assert_int_equal(lines_like("still here"), 1);
}

static void mkdir_makes_the_folders(void **state)
{
	const char *path = scratch_path("a/b/c.log");

	assert_int_equal(tplogconfig(ALL, -1, "mkdir=y", NULL, path), 0);
	log_error("deep");
	assert_int_equal(lines_in(path, "deep"), 1);
}

static void a_request_file_takes_this_threads_lines(void **state)
{
	const char *path = scratch_path("req.log");
	char name[256] = "";

	assert_int_equal(tploggetreqfile(name, sizeof(name)), 0);
	tplogsetreqfile_direct(path);
	assert_int_equal(tploggetreqfile(name, sizeof(name)), 1);
	assert_string_equal(name, path);
	TP_LOG(log_info, "in the request");
	NDRX_LOG(log_info, "runtime");
	tplogclosereqfile();
	TP_LOG(log_info, "after it");
	assert_int_equal(lines_in(path, "^R:.*in the request"), 1);
	assert_int_equal(lines_in(path, "^m:.*runtime"), 1);
	assert_int_equal(lines_like("^t:.*after it"), 1);
	assert_int_equal(lines_like("."), 1);
}

static void a_thread_may_log_less_than_the_process(void **state)
{
	tplogconfig(LOG_FACILITY_TP_THREAD, 2, NULL, NULL, NULL);
	TP_LOG(log_info, "hidden");
	TP_LOG(log_error, "shown");
	NDRX_LOG(log_info, "other facility");
	tplogclosethread();
	TP_LOG(log_info, "again");
	assert_int_equal(lines_like("hidden"), 0);
	assert_int_equal(lines_like("^T:.*shown"), 1);
	assert_int_equal(lines_like("^N:.*other facility"), 1);
	assert_int_equal(lines_like("^t:.*again"), 1);
}

static void a_dump_has_rows_of_sixteen_bytes(void **state)
{
	char data[20] = "hello";

	tplogdump(5, "buffer", data, sizeof(data));
	assert_int_equal(lines_like("buffer: 20 bytes$"), 1);
	assert_int_equal(lines_like("0000  68 65 6c 6c 6f 00 .*hello\\.+$"), 1);
	assert_int_equal(lines_like("0010  00 00 00 00  "), 1);
	tplogdump(5, "nothing", NULL, 10);
}

static void a_difference_shows_only_rows_that_differ(void **state)
{
	char a[40] = "same", b[40] = "same";

	b[39] = 'x';
	tplogdumpdiff(5, "diff", a, b, sizeof(a));
	assert_int_equal(lines_like(":< 0020 "), 1);
	assert_int_equal(lines_like(":> 0020 .*x$"), 1);
	assert_int_equal(lines_like("0000  "), 0);
}

static void the_level_can_be_asked(void **state)
{
	long info;

	tplogconfig(ALL, -1, "tp=3 iflags=detailed", NULL, NULL);
	assert_int_equal(tplogqinfo(4, TPLOGQI_GET_TP), 0);
	info = tplogqinfo(4, TPLOGQI_GET_TP | TPLOGQI_EVAL_RETURN |
				 TPLOGQI_EVAL_DETAILED);
	assert_int_equal(TPLOGQI_RET_LEVEL(info), 3);
	assert_int_equal(info & 0xffffff,
			 TPLOGQI_GET_TP | TPLOGQI_RET_HAVDETAILED);
	assert_int_equal(tplogqinfo(4, 0), -1);
	assert_int_equal(Nerror, NEINVAL);
	assert_string_equal(tploggetiflags(), "detailed");
}

static void stdio_can_write_into_the_log(void **state)
{
	ndrx_debug_t *dbg;

	assert_null(tplogfplock(6, 0));
	dbg = tplogfplock(5, 0);
	assert_non_null(dbg);
	fprintf(tplogfpget(dbg, 0), "free %s\n", "text");
	tplogfpunlock(dbg);
	assert_int_equal(lines_like("^free text$"), 1);
	assert_null(tplogfpget(NULL, 0));
}

static void a_long_line_is_cut_and_ends_with_a_newline(void **state)
{
	char text[3 * OW_LOG_LINE];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_error("%s", text);
	log_error("next");
	assert_int_equal(lines_like("x{3}"), 1);
	assert_int_equal(lines_like(":next$"), 1);
}

static void logging_keeps_errno(void **state)
{
	errno = EDOM;
	log_error("x");
	tplogsetreqfile_direct(NULL);
	assert_int_equal(errno, EDOM);
}

/* A file size limit stands for the full disk. */
static void lines_lost_on_a_full_disk_are_reported_once(void **state)
{
	struct rlimit unlimited, full;
	uint64_t before = ow_log_lost();

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
	full = unlimited;
	full.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
	log_error("lost one");
	log_error("lost two");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
	log_error("works again");
	log_error("and again");
	assert_int_equal(ow_log_lost() - before, 2);
	assert_int_equal(lines_like("^log: 2 lines of process"), 1);
	assert_int_equal(lines_like("lost (one|two)"), 0);
	assert_int_equal(lines_like("again$"), 2);
}

static void write_many(int process)
{
	for (int i = 0; i < 500; i++)
		log_info("process %d line %03d end", process, i);
}

static void lines_of_processes_do_not_mix(void **state)
{
	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			write_many(i);
			_exit(0);
		}
	for (int i = 0; i < 4; i++)
		wait(NULL);
	assert_int_equal(lines_like("^N:.*:process . line [0-9]{3} end$"),
			 2000);
	assert_int_equal(lines_like("."), 2000);
}

/* ---- requests ---- */

static const uint8_t span[8] = { 0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 2, 0xb7 };
static const uint8_t trace[16] = { 0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d,
				   0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e,
				   0x47, 0x36 };

static void a_line_has_the_ids_of_the_request(void **state)
{
	static const uint8_t none[16];

	ow_log_bind_request(span, trace);
	TP_LOG(log_info, "in it");
	ow_log_bind_request(none, none);
	TP_LOG(log_info, "between");
	ow_log_bind_request(NULL, NULL);
	assert_int_equal(
	    lines_like(":\\[req=00f067aa0ba902b7 "
		       "trace=4bf92f3577b34da6a3ce929d0e0e4736\\] in it$"), 1);
	assert_int_equal(lines_like(":between$"), 1);
}

/* ---- JSON ---- */

static void a_json_line_has_the_same_facts(void **state)
{
	tplogconfig(ALL, -1, "format=json", NULL, NULL);
	ow_log_bind_request(span, trace);
	TP_LOG(log_warn, "a \"quoted\"\\line\n\x01 %s", "\xc3\xa4 \xff\xc0");
	ow_log_bind_request(NULL, NULL);
	tplogconfig(ALL, -1, "format=text", NULL, NULL);
	assert_int_equal(
	    lines_like("^\\{\"time\":\"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}"
		       "\\.[0-9]{6}[+-][0-9]{2}:[0-9]{2}\",\"level\":\"warn\","
		       "\"facility\":\"TP\",\"pid\":[0-9]+,"), 1);
	assert_int_equal(
	    lines_like("\"request\":\"00f067aa0ba902b7\",\"trace\":\"4bf9.*\","
		       "\"message\":\"a \\\\\"quoted\\\\\"\\\\\\\\line\\\\n"
		       "\\\\u0001 \xc3\xa4 \\\\ufffd\\\\ufffd\"\\}$"), 1);
	assert_int_equal(lines_like("."), 1);
}

static void a_line_for_always_is_no_alarm(void **state)
{
	tplogconfig(ALL, -1, "format=json", NULL, NULL);
	TP_LOG(log_always, "hello");
	tplogconfig(ALL, -1, "format=text", NULL, NULL);
	assert_int_equal(lines_like("\"level\":\"always\""), 1);
}

static void a_json_line_that_is_cut_is_still_an_object(void **state)
{
	char text[3 * OW_LOG_LINE];

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = i % 2 == 0 ? '"' : '\x02';
	text[sizeof(text) - 1] = '\0';
	tplogconfig(ALL, -1, "format=json", NULL, NULL);
	TP_LOG(log_warn, "%s", text);
	tplogconfig(ALL, -1, "format=text", NULL, NULL);
	assert_int_equal(lines_like("\\\\u0002(\\\\\")?\"\\}$"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup(test, fresh)
		T(a_line_has_the_documented_form),
		T(arguments_are_not_evaluated_when_the_level_is_off),
		T(each_facility_has_its_own_level_and_letter),
		T(a_mask_changes_only_its_facilities),
		T(a_bad_string_and_a_bad_file_are_reported),
		T(mkdir_makes_the_folders),
		T(a_request_file_takes_this_threads_lines),
		T(a_thread_may_log_less_than_the_process),
		T(a_dump_has_rows_of_sixteen_bytes),
		T(a_difference_shows_only_rows_that_differ),
		T(the_level_can_be_asked),
		T(stdio_can_write_into_the_log),
		T(a_long_line_is_cut_and_ends_with_a_newline),
		T(logging_keeps_errno),
		T(lines_lost_on_a_full_disk_are_reported_once),
		T(lines_of_processes_do_not_mix),
		T(a_line_has_the_ids_of_the_request),
		T(a_json_line_has_the_same_facts),
		T(a_line_for_always_is_no_alarm),
		T(a_json_line_that_is_cut_is_still_an_object),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
