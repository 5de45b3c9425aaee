/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_watch.c - notice the end of a process
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libatmi/domain/tables.h"
#include "ndrxd/launch/watch.h"

static pid_t child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void on_gone(EV_P_ ev_io *w, int revents)
{
	*(bool *)w->data = true;
	ev_break(loop, EVBREAK_ALL);
}

static void the_loop_sees_the_end_and_the_zombie_stays(void **state)
{
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	pid_t pid = child();
	bool gone = false;
	int fd, status = 0;
	ev_io w;

	ev_init(&w, on_gone);
	w.data = &gone;
	fd = ow_watch_start(loop, &w, pid);
	assert_true(fd >= 0);
	assert_false(ow_watch_ended(pid, 0, -1, true));
	kill(pid, SIGKILL);
	ev_run(loop, 0);
	assert_true(gone);
	assert_true(ow_watch_ended(pid, 0, -1, true));
	assert_true(ow_watch_ended(pid, 0, -1, true)); /* not reaped */
	assert_true(ow_watch_reap(pid, true, &status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_int_equal(ow_watch_stop(loop, &w, fd), -1);
	ev_loop_destroy(loop);
}

static void adopted_process_has_no_exit_status(void **state)
{
	uint64_t start;
	pid_t pid = child();
	int status = 1;

	start = ow_proc_start(pid);
	assert_false(ow_watch_ended(pid, start, -1, false));
	assert_true(ow_watch_ended(pid, start + 1, -1, false)); /* another one */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(ow_watch_ended(pid, start, -1, false));
	assert_false(ow_watch_reap(pid, false, &status));
	assert_int_equal(status, 0);
}

static void explanation_names_signal_or_exit_code(void **state)
{
	char text[80];

	ow_watch_explain(true, SIGSEGV, text, sizeof(text));
	assert_string_equal(text, "killed by signal 11 (Segmentation fault)");
	ow_watch_explain(true, 3 << 8, text, sizeof(text));
	assert_string_equal(text, "ended with exit code 3");
	ow_watch_explain(false, 0, text, sizeof(text));
	assert_string_equal(text, "ended");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_loop_sees_the_end_and_the_zombie_stays),
		cmocka_unit_test(adopted_process_has_no_exit_status),
		cmocka_unit_test(explanation_names_signal_or_exit_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
