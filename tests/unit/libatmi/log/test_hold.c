/* SPDX-License-Identifier: Apache-2.0 */
/* test_hold.c - lines are kept in memory while a thread must not write */
#include "tests/unit/libatmi/log/log_fixture.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/hold.h"

static void lines_are_written_at_the_release(void **state)
{
	ow_log_hold();
	log_warn("first");
	tplog(2, "second");
	assert_int_equal(lines_like("."), 0);
	ow_log_release();
	assert_int_equal(lines_like("^N:TEST:3:.*:first$"), 1);
	assert_int_equal(lines_like("^t:TEST:2:.*:second$"), 1);
	log_warn("third");
	assert_int_equal(lines_like("."), 3);
}

static void all_ways_to_log_are_held_back(void **state)
{
	char memory[] = "abc";

	ow_log_hold();
	ndrxlogdump(2, "memory", memory, 3);
	ubflogex(2, "file.c", 7, "a line");
	assert_int_equal(lines_like("."), 0);
	ow_log_release();
	assert_int_equal(lines_like("memory: 3 bytes|61 62 63|a line"), 3);
}

/* Microseconds since the minute began: the ninth field is HHMMSSuuuuuu. */
static long time_of(const char *line)
{
	int i;

	for (i = 0; i < 8; i++)
		line = strchr(line, ':') + 1;
	return strtol(line + 4, NULL, 10);
}

static void a_line_has_the_time_at_which_it_was_logged(void **state)
{
	uint64_t until;
	char *text;
	long us;

	ow_log_hold();
	log_warn("kept");
	until = ow_clock_mono_ns() + 50 * OW_NS_PER_MS;
	while (ow_clock_mono_ns() < until)
		;
	ow_log_release();
	log_warn("now");
	text = scratch_read(log_path);
	us = time_of(strchr(text, '\n') + 1) - time_of(text);
	free(text);
	/* A minute may end in between. */
	assert_in_range((us + 60000000) % 60000000, 49000, 30000000);
}

static void holds_may_be_nested(void **state)
{
	ow_log_hold();
	ow_log_hold();
	log_warn("a line");
	ow_log_release();
	assert_int_equal(lines_like("."), 0);
	ow_log_release();
	assert_int_equal(lines_like("a line"), 1);
}

static void lines_without_a_place_are_counted_long_ones_are_cut(void **state)
{
	char text[1000] = "";
	int i;

	memset(text, 'x', sizeof(text) - 1);
	ow_log_hold();
	for (i = 0; i < OW_LOG_HELD + 4; i++)
		log_warn("%d %s", i, text);
	ow_log_release();
	assert_int_equal(lines_like(":[0-9] x+$"), OW_LOG_HELD);
	assert_int_equal(lines_like("log: 4 more lines"), 1);
	ow_log_hold();
	ow_log_release();
	assert_int_equal(lines_like("."), OW_LOG_HELD + 1);
}

static void *log_a_line(void *unused)
{
	log_warn("of another thread");
	return NULL;
}

static void other_threads_write_meanwhile(void **state)
{
	pthread_t thread;

	ow_log_hold();
	log_warn("of this thread");
	assert_int_equal(pthread_create(&thread, NULL, log_a_line, NULL), 0);
	pthread_join(thread, NULL);
	assert_int_equal(lines_like("of another thread"), 1);
	assert_int_equal(lines_like("of this thread"), 0);
	ow_log_release();
	assert_int_equal(lines_like("of this thread"), 1);
}

static void log_in_handler(int sig)
{
	log_warn("of a handler");
}

static void a_signal_handler_may_log(void **state)
{
	signal(SIGUSR1, log_in_handler);
	ow_log_hold();
	log_warn("before");
	raise(SIGUSR1);
	log_warn("after");
	assert_int_equal(lines_like("."), 0);
	ow_log_release();
	signal(SIGUSR1, SIG_DFL);
	assert_int_equal(lines_like("before|of a handler|after"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup(test, fresh)
		T(lines_are_written_at_the_release),
		T(all_ways_to_log_are_held_back),
		T(a_line_has_the_time_at_which_it_was_logged),
		T(holds_may_be_nested),
		T(lines_without_a_place_are_counted_long_ones_are_cut),
		T(other_threads_write_meanwhile),
		T(a_signal_handler_may_log),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
