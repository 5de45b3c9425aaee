/* SPDX-License-Identifier: Apache-2.0 */
/* test_programs.c - client programs, recognised by their environment */
#include "libatmi/domain/programs.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct seen {
	pid_t pid[8];
	char name[8][64];
	int n;
};

static void note(void *arg, pid_t pid, const char *tag, const char *subsect)
{
	struct seen *s = arg;

	if (s->n == 8)
		return;
	snprintf(s->name[s->n], sizeof(s->name[0]), "%s/%s", tag, subsect);
	s->pid[s->n++] = pid;
}

/* Start a program; `number` is the pid in its environment, 0: its own. */
static pid_t run(const char *prefix, const char *tag, long number)
{
	char domain[64], name[64], own[64];
	char *env[] = { "A=1", domain, name, "NDRX_CLTSUBSECT=-", own, NULL };
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ready, 0), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char *argv[] = { "sleep", "100", NULL };

		snprintf(domain, sizeof(domain), "NDRX_QPREFIX=%s", prefix);
		snprintf(name, sizeof(name), "NDRX_CLTTAG=%s", tag);
		snprintf(own, sizeof(own), OW_PROGRAM_PID "=%010ld",
			 number == 0 ? (long)getpid() : number);
		close(ready[0]);
		fcntl(ready[1], F_SETFD, FD_CLOEXEC); /* closed by execve() */
		execve("/bin/sleep", argv, env);
		_exit(127);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 0);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
a_program_with_its_own_pid_in_its_environment_is_found(void **state)
{
	char prefix[32], other[32];
	struct seen s = { .n = 0 };
	pid_t a, child, stranger;

	(void)state;
	snprintf(prefix, sizeof(prefix), "k%d", (int)getpid());
	snprintf(other, sizeof(other), "/k%dx", (int)getpid());
	a = run(prefix, "A", 0);
	child = run(prefix, "B", a); /* has inherited its parent's pid */
	stranger = run(other, "C", 0);
	ow_programs_each(prefix, note, &s);
	end(a);
	end(child);
	end(stranger);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.pid[0], a);
	assert_string_equal(s.name[0], "A/-");
	s.n = 0;
	ow_programs_each(prefix, note, &s);
	assert_int_equal(s.n, 0);
}

static void a_prefix_may_begin_with_a_slash(void **state)
{
	struct seen s = { .n = 0 };
	char prefix[32];
	pid_t pid;

	(void)state;
	snprintf(prefix, sizeof(prefix), "/k%d", (int)getpid());
	pid = run(prefix, "A", 0);
	ow_programs_each(prefix + 1, note, &s);
	end(pid);
	assert_int_equal(s.n, 1);
}

#ifndef __SANITIZE_THREAD__
/* The parent of vfork() goes on when execve() has replaced the memory; the
 * environment comes later. The child is on the same CPU, and runs only while
 * its parent sleeps. */
static pid_t run_behind(char *const env[], char own[64])
{
	const struct sched_param idle = { 0 };
	char *argv[] = { "sleep", "100", NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		sched_setscheduler(0, SCHED_IDLE, &idle);
		snprintf(own, 64, OW_PROGRAM_PID "=%010ld", (long)getpid());
		execve("/bin/sleep", argv, env);
		_exit(127);
	}
	return pid;
}

static void a_program_inside_execve_is_found(void **state)
{
	char prefix[32], domain[64], own[64];
	char *env[] = { domain, "NDRX_CLTTAG=A", "NDRX_CLTSUBSECT=-", own,
			NULL };
	cpu_set_t before, one;
	struct seen s = { .n = 0 };
	pid_t pid;

	(void)state;
	snprintf(prefix, sizeof(prefix), "k%d", (int)getpid());
	snprintf(domain, sizeof(domain), "NDRX_QPREFIX=%s", prefix);
	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	pid = run_behind(env, own);
	ow_programs_each(prefix, note, &s);
	sched_setaffinity(0, sizeof(before), &before);
	end(pid);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.pid[0], pid);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_program_with_its_own_pid_in_its_environment_is_found),
		cmocka_unit_test(a_prefix_may_begin_with_a_slash),
#ifndef __SANITIZE_THREAD__ /* it makes vfork() a fork() */
		cmocka_unit_test(a_program_inside_execve_is_found),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
