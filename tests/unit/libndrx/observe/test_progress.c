/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_progress.c - the lines of start and stop, to the letter
 */
#include "libndrx/observe/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct ow_progress p;
	char *text;
	size_t size;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->p.out = open_memstream(&f->text, &f->size);
	assert_non_null(f->p.out);
}

static void assert_written(struct fixture *f, const char *want)
{
	ow_progress_end(&f->p);
	fclose(f->p.out);
	assert_string_equal(f->text, want);
	free(f->text);
}

static void say(struct fixture *f, enum ow_ctl_verb verb, uint32_t srvid,
		enum ow_proc_state st, const char *text)
{
	union ow_ctl_msg m;

	ow_ctl_init(&m, OW_CTL_EVENT, 1);
	m.event.verb = verb;
	m.event.srvid = srvid;
	m.event.pid = (int32_t)(100 + srvid);
	m.event.state = st;
	m.event.begun = st == OW_PROC_STARTING;
	strcpy(m.event.bin, "banksv");
	strcpy(m.event.text, text);
	ow_progress_on_reply(&m, &f->p);
}

static void a_start_is_two_lines(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	say(&f, OW_VERB_START, 1, OW_PROC_STARTING, "-i 1 --");
	say(&f, OW_VERB_START, 1, OW_PROC_RUNNING, "");
	assert_int_equal(f.p.started, 1);
	assert_written(&f, "exec banksv -i 1 -- :\n"
			   "\tprocess id=101 ... Started.\n");
}

static void a_start_names_the_program_once(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	say(&f, OW_VERB_START, 1, OW_PROC_STARTING, "banksv -i 1  ");
	say(&f, OW_VERB_START, 1, OW_PROC_RUNNING, "");
	assert_written(&f, "exec banksv -i 1 :\n"
			   "\tprocess id=101 ... Started.\n");
}

static void parallel_starts_keep_their_lines_together(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	say(&f, OW_VERB_START, 1, OW_PROC_STARTING, "-i 1");
	say(&f, OW_VERB_START, 2, OW_PROC_STARTING, "-i 2");
	say(&f, OW_VERB_START, 1, OW_PROC_RUNNING, "");
	say(&f, OW_VERB_START, 2, OW_PROC_RUNNING, "");
	assert_written(&f, "exec banksv -i 1 :\n"
			   "\tprocess id=101 ... Started.\n"
			   "exec banksv -i 2 :\n"
			   "\tprocess id=102 ... Started.\n");
}

static void a_failed_start_shows_its_reason(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	say(&f, OW_VERB_START, 1, OW_PROC_STARTING, "-i 1");
	say(&f, OW_VERB_START, 1, OW_PROC_DIED, "tpsvrinit() failed");
	assert_int_equal(f.p.started, 0);
	assert_int_equal(f.p.failed, 1);
	assert_written(&f, "exec banksv -i 1 :\n"
			   "\tprocess id=101 ... Died.\n"
			   "\ttpsvrinit() failed\n");
}

static void a_stop_is_one_line(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	say(&f, OW_VERB_STOP, 7, OW_PROC_EXITED, "");
	assert_int_equal(f.p.stopped, 1);
	assert_written(&f, "Server executable = banksv\tId = 7 :\t"
			   "Shutdown succeeded.\n");
}

static void a_line_left_open_is_ended(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	say(&f, OW_VERB_START, 1, OW_PROC_STARTING, "-i 1");
	say(&f, OW_VERB_START, 2, OW_PROC_STARTING, "-i 2");
	assert_written(&f, "exec banksv -i 1 :\n\t\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_start_is_two_lines),
		cmocka_unit_test(a_start_names_the_program_once),
		cmocka_unit_test(parallel_starts_keep_their_lines_together),
		cmocka_unit_test(a_failed_start_shows_its_reason),
		cmocka_unit_test(a_stop_is_one_line),
		cmocka_unit_test(a_line_left_open_is_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
