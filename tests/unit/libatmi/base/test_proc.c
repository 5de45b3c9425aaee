/* SPDX-License-Identifier: Apache-2.0 */
/* test_proc.c - is a process alive: start times, zombies, threads */
#include "tests/unit/libatmi/domain_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "libatmi/base/proc.h"

static void dead_processes_and_zombies_have_no_start_time(void **state)
{
	uint64_t start = ow_proc_start_self();
	siginfo_t si;
	pid_t pid;

	assert_true(start != 0 && start == ow_proc_start(getpid()));
	assert_true(ow_proc_alive(getpid(), start));
	assert_false(ow_proc_alive(getpid(), start + 1));
	assert_false(ow_proc_alive(0, start));
	assert_false(ow_proc_alive(-1, start));
	pid = test_fork();
	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT);
	assert_int_equal(ow_proc_start(pid), 0);
	assert_false(ow_proc_alive(pid, start));
	waitpid(pid, NULL, 0);
	assert_int_equal(ow_proc_start(pid), 0);
}

static void check_own_start(void *arg)
{
	uint64_t parents = *(uint64_t *)arg;

	_exit(ow_proc_start_self() == ow_proc_start(getpid()) &&
	      ow_proc_alive(getppid(), parents) ? 0 : 1);
}

static void a_forked_child_has_its_own_start_time(void **state)
{
	uint64_t start = ow_proc_start_self();

	assert_int_equal(in_child(check_own_start, &start), 0);
}

static void *wait_for_ever(void *arg)
{
	pause();
	return NULL;
}

static void end_main_thread(void *arg)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_for_ever, NULL);
	syscall(SYS_exit, 0); /* this thread only */
}

static void a_process_is_alive_while_one_of_its_threads_is(void **state)
{
	pid_t pid = test_fork();
	uint64_t start;
	char state_now = 0;

	if (pid == 0) {
		end_main_thread(NULL);
		_exit(1);
	}
	start = ow_proc_start(pid);
	assert_true(start != 0);
	WAIT_FOR(({
		char path[40], text[512] = "";
		int fd;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		fd = open(path, O_RDONLY);
		if (read(fd, text, sizeof(text) - 1) > 0)
			state_now = strrchr(text, ')')[2];
		close(fd);
		state_now == 'Z';
	}));
	assert_true(ow_proc_alive(pid, start));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_false(ow_proc_alive(pid, start));
}

static void check_without_descriptors(void *arg)
{
	struct rlimit none = { 0, 0 };
	uint64_t start = ow_proc_start(getppid());

	setrlimit(RLIMIT_NOFILE, &none);
	if (!ow_proc_alive(getppid(), start))
		_exit(1);
	_exit(ow_proc_alive(0x7ffffffe, 1) ? 2 : 0);
}

static void a_process_counts_as_alive_when_proc_cannot_be_read(void **state)
{
	assert_int_equal(in_child(check_without_descriptors, NULL), 0);
}

static void pid_and_start_time_fit_into_one_word(void **state)
{
	pid_t most = (1 << OW_PROC_PID_BITS) - 1; /* of Linux */
	uint64_t start = UINT64_C(3153600000000); /* a thousand years */
	ow_proc_id id = ow_proc_id_make(most, start);

	assert_int_equal(ow_proc_id_pid(id), most);
	assert_int_equal(ow_proc_id_start(id), start);
	assert_int_equal(ow_proc_id_pid(ow_proc_id_self()), getpid());
	assert_true(ow_proc_id_alive(ow_proc_id_self()));
	assert_false(ow_proc_id_alive(ow_proc_id_make(getpid(), 1)));
	assert_false(ow_proc_id_alive(0));
}

static void a_stopped_process_is_seen_and_continued(void **state)
{
	char name[32] = "";
	pid_t pid = test_fork();
	int st;

	if (pid == 0) {
		raise(SIGSTOP);
		_exit(0);
	}
	assert_false(ow_proc_continue(getpid(), name, sizeof(name)));
	assert_int_equal(waitpid(pid, &st, WUNTRACED), pid);
	assert_int_equal(ow_proc_look(pid, name, sizeof(name)), 'T');
	assert_non_null(strstr("atmi_test_proc", name));
	assert_true(ow_proc_continue(pid, name, sizeof(name)));
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_int_equal(st, 0);
	assert_int_equal(ow_proc_look(pid, name, sizeof(name)), 0);
	assert_int_equal(ow_proc_threads(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    dead_processes_and_zombies_have_no_start_time),
		cmocka_unit_test(a_forked_child_has_its_own_start_time),
		cmocka_unit_test(
		    a_process_is_alive_while_one_of_its_threads_is),
		cmocka_unit_test(
		    a_process_counts_as_alive_when_proc_cannot_be_read),
		cmocka_unit_test(pid_and_start_time_fit_into_one_word),
		cmocka_unit_test(a_stopped_process_is_seen_and_continued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
