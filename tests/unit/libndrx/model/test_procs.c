/* SPDX-License-Identifier: Apache-2.0 */
/* test_procs.c - processor time, memory, switches; who reads when */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "libndrx/model/procs.h"
#include "libatmi/domain/tables.h"

static void a_process_reads_itself(void **state)
{
	struct timespec nap = { .tv_nsec = 1000000 };
	struct ow_proc p = { 0 };

	nanosleep(&nap, NULL); /* one switch at least */
	assert_int_equal(ow_proc_read(getpid(), true, &p), 0);
	assert_true(p.start == ow_proc_start(getpid()));
	assert_true(p.rss > 100000);
	assert_true(p.switches > 0);
	assert_false(p.zombie);
}

static void work_is_seen_as_processor_time(void **state)
{
	struct ow_proc a, b;
	clock_t end;

	assert_int_equal(ow_proc_read(getpid(), false, &a), 0);
	end = clock() + CLOCKS_PER_SEC / 10;
	while (clock() < end)
		;
	assert_int_equal(ow_proc_read(getpid(), false, &b), 0);
	assert_true(b.cpu_us - a.cpu_us >= 50000);
	assert_int_equal(b.switches, 0); /* not asked for */
}

static void an_ended_process_is_not_alive(void **state)
{
	struct ow_proc p = { .rss = 5 };
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_int_equal(ow_proc_read(pid, false, &p), -ESRCH);
	assert_int_equal(p.rss, 5);
	assert_false(ow_pid_exists(pid));
	assert_true(ow_pid_exists(getpid()));
}

static void a_zombie_is_not_alive(void **state)
{
	struct ow_procs *procs = ow_procs_new();
	struct ow_proc p;
	siginfo_t info;
	uint64_t start;
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	start = ow_proc_start(pid);
	ow_procs_begin(procs, 1, false);
	assert_true(ow_procs_look(procs, 1, pid, start, 0, &p));
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	procs = ow_procs_free(procs);
	procs = ow_procs_new();
	ow_procs_begin(procs, 1, false);
	assert_false(ow_procs_look(procs, 1, pid, start, 0, &p));
	waitpid(pid, NULL, 0);
	ow_procs_free(procs);
}

static void a_reused_pid_is_not_alive(void **state)
{
	struct ow_procs *procs = ow_procs_new();
	struct ow_proc p;

	ow_procs_begin(procs, 1, false);
	assert_false(ow_procs_look(procs, 1, getpid(),
				   ow_proc_start(getpid()) + 1, 0, &p));
	ow_procs_free(procs);
}

/* Each is read now and then, none at every look. */
static void processes_are_read_in_turn(void **state)
{
	struct ow_procs *procs = ow_procs_new();
	uint64_t start = ow_proc_start(getpid()), last[8] = { 0 };
	int look, reads[8] = { 0 };
	struct ow_proc p;
	uint32_t id;

	for (look = 0; look < 20; look++) {
		ow_procs_begin(procs, 8, false);
		for (id = 0; id < 8; id++) {
			assert_true(ow_procs_look(procs, id + 1, getpid(),
						  start, 0, &p));
			reads[id] += p.read_ns != last[id];
			last[id] = p.read_ns;
		}
	}
	for (id = 0; id < 8; id++)
		assert_in_range(reads[id], 5, 6);
	ow_procs_free(procs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_reads_itself),
		cmocka_unit_test(work_is_seen_as_processor_time),
		cmocka_unit_test(an_ended_process_is_not_alive),
		cmocka_unit_test(a_zombie_is_not_alive),
		cmocka_unit_test(a_reused_pid_is_not_alive),
		cmocka_unit_test(processes_are_read_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
