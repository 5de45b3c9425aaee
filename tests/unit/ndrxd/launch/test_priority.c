/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_priority.c - ndrxd at real-time priority does not stop the machine
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "ndrxd/launch/priority.h"

#define BOUND_US 200000u

/* Exit code of a child that is not allowed to run by real time. */
#define NOT_ALLOWED 77

static void compute(uint64_t ns)
{
	uint64_t until = ow_clock_mono_ns() + ns;

	while (ow_clock_mono_ns() < until)
		continue;
}

static struct ow_priority raised(int err_fd)
{
	struct ow_priority p;

	unsetenv("NDRX_SCHED");
	dup2(err_fd, STDERR_FILENO);
	p = ow_priority_raise();
	if (p.how != OW_PRIORITY_RT)
		_exit(NOT_ALLOWED);
	ow_priority_bound(&p, BOUND_US);
	return p;
}

/* Run `fn` in a child: its wait status, and what it wrote on standard error. */
static int run(void (*fn)(int err_fd), char *said, size_t size)
{
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		fn(fds[1]);
		_exit(0);
	}
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	n = read(fds[0], said, size - 1);
	said[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_ALLOWED)
		skip();
	return status;
}

static void loop(int err_fd)
{
	raised(err_fd);
	compute(30 * OW_NS_PER_SEC);
}

static void work_with_pauses(int err_fd)
{
	int i;

	raised(err_fd);
	for (i = 0; i < 10; i++) {
		compute(60 * OW_NS_PER_MS);
		usleep(1000);
	}
}

static void start_a_child(int err_fd)
{
	struct ow_priority p = raised(err_fd);
	struct rlimit rl;

	ow_priority_of_child(p);
	getrlimit(RLIMIT_RTTIME, &rl);
	_exit(rl.rlim_cur == p.rttime.rlim_cur ? 0 : 1);
}

static void a_loop_ends_with_a_signal_and_words(void **state)
{
	char said[400];
	int status = run(loop, said, sizeof(said));

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGXCPU);
	assert_non_null(strstr(said, "at real-time priority"));
}

static void work_with_pauses_goes_on(void **state)
{
	char said[400];

	assert_int_equal(run(work_with_pauses, said, sizeof(said)), 0);
	assert_string_equal(said, "");
}

static void a_child_has_no_bound(void **state)
{
	char said[400];

	assert_int_equal(run(start_a_child, said, sizeof(said)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_ends_with_a_signal_and_words),
		cmocka_unit_test(work_with_pauses_goes_on),
		cmocka_unit_test(a_child_has_no_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
