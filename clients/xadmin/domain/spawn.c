/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.c - start ndrxd for a command, when none runs
 *
 * Until ndrxd has opened its log, its output goes to a memory file of xadmin.
 * If ndrxd ends before it listens, that output is the reason and is printed.
 * ndrxd may go to the background by itself or not.
 */
#include "clients/xadmin/domain/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libndrx/observe/command.h"
#include "clients/xadmin/command/command.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/base/terminal.h"
#include "libatmi/log/setting.h"
#include "libubf/base/variable.h"

#define START_MS 60000 /* NDRX_NORMWAITMAX */
#define STEP_MS	 2     /* between two tries to connect */
#define LEAVE_MS 2000  /* for who started a ndrxd that is in the background */

/* A child process that becomes ndrxd. */
struct spawn {
	char exe[PATH_MAX];
	int out_fd; /* the memory file for its output */
	pid_t pid;
};

/* ndrxd in the folder of the running xadmin, else the first one in PATH. */
static int find_exe(char *exe, size_t size)
{
	char own[PATH_MAX], path[PATH_MAX], *slash, *dir, *save = NULL;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (n > 0) {
		own[n] = '\0';
		slash = strrchr(own, '/');
		if (slash != NULL)
			*slash = '\0';
		snprintf(exe, size, "%.*s/ndrxd", PATH_MAX - 8, own);
		if (access(exe, X_OK) == 0)
			return 0;
	}
	snprintf(path, sizeof(path), "%s", ow_env_str("PATH", "/usr/bin"));
	for (dir = strtok_r(path, ":", &save); dir != NULL;
	     dir = strtok_r(NULL, ":", &save)) {
		snprintf(exe, size, "%.*s/ndrxd", PATH_MAX - 8, dir);
		if (access(exe, X_OK) == 0)
			return 0;
	}
	return -ENOENT;
}

/* In the child: never returns. */
static void become_ndrxd(const struct spawn *s)
{
	/* -k marks the processes of an instance for ps and grep. */
	const char *key = ow_variable("NDRX_RNDK");
	char *const marked[] = { (char *)"ndrxd", (char *)"-k", (char *)key,
				 NULL };
	char *const plain[] = { (char *)"ndrxd", NULL };
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	ow_terminal_leave();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	dup2(null, STDIN_FILENO);
	dup2(s->out_fd, STDOUT_FILENO);
	dup2(s->out_fd, STDERR_FILENO);
	execv(s->exe, key != NULL && *key != '\0' ? marked : plain);
	dprintf(STDERR_FILENO, "%s: %s\n", s->exe, strerror(errno));
	_exit(127);
}

/* Print its output; of a long one, the end. */
static void show_output(const struct spawn *s)
{
	char buf[8192];
	off_t end = lseek(s->out_fd, 0, SEEK_END), from = 0;
	ssize_t n;

	if (end > (off_t)sizeof(buf))
		from = end - (off_t)sizeof(buf);
	n = pread(s->out_fd, buf, sizeof(buf), from);
	if (n > 0)
		fwrite(buf, 1, (size_t)n, stderr);
	if (n > 0 && buf[n - 1] != '\n')
		putc('\n', stderr);
}

/* ndrxd listens. Unless it is the process that was started, that one is about to
 * end: it is no part of the domain, and not to be found when the command has ended. */
static void await_starter(const struct spawn *s, const struct ow_command_link *l)
{
	uint64_t end = ow_clock_mono_ns() + LEAVE_MS * OW_NS_PER_MS;

	while (ow_command_pid(l) != s->pid &&
	       waitpid(s->pid, NULL, WNOHANG) == 0 && ow_clock_mono_ns() < end)
		poll(NULL, 0, 1);
}

/* Wait until ndrxd listens; fail when it ends or takes too long. */
static int await(const struct ow_args *a, const struct ow_domain *d,
		 struct spawn *s, struct ow_command_link *ret)
{
	uint64_t end, ms;
	int r, status = 0;
	bool gone = false;

	if (ow_setting_ms("NDRX_NORMWAITMAX", START_MS, &ms) != 0 || ms == 0)
		ms = START_MS;
	end = ow_clock_mono_ns() + ms * OW_NS_PER_MS;
	while (ow_clock_mono_ns() < end) {
		r = ow_command_open(d, ret);
		if (r == 0) {
			await_starter(s, ret);
			return OW_EXIT_OK;
		}
		if (r < 0)
			return ow_cmd_fail(a, "%s: %s", d->sock, strerror(-r));
		if (!gone && waitpid(s->pid, &status, WNOHANG) == s->pid) {
			gone = true;
			if (status == 0)
				continue; /* it went to the background */
			show_output(s);
			return ow_cmd_fail(a, "ndrxd did not start (%s)",
					   WIFSIGNALED(status)
					       ? strsignal(WTERMSIG(status))
					       : "its messages are above");
		}
		poll(NULL, 0, STEP_MS);
	}
	show_output(s);
	return ow_cmd_fail(a, "ndrxd does not listen at %s after %.1f s "
			      "(NDRX_NORMWAITMAX; see its log)", d->sock,
			   (double)ms / 1000);
}

int ow_spawn_ndrxd(const struct ow_args *a, const struct ow_domain *d,
		   struct ow_command_link *ret)
{
	struct spawn s = { .out_fd = -1 };
	int r = find_exe(s.exe, sizeof(s.exe));

	if (r < 0)
		return ow_cmd_fail(a, "no program ndrxd, neither in the folder "
				      "of xadmin nor in PATH");
	s.out_fd = memfd_create("ndrxd output", MFD_CLOEXEC);
	if (s.out_fd < 0)
		return ow_cmd_fail(a, "no memory: %s", strerror(errno));
	fflush(NULL);
	s.pid = fork();
	if (s.pid == 0)
		become_ndrxd(&s);
	r = s.pid < 0 ? ow_cmd_fail(a, "fork: %s", strerror(errno))
		      : await(a, d, &s, ret);
	close(s.out_fd);
	return r;
}
