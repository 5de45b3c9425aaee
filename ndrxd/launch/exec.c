/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.c - start one program: vfork(), settings of the child, execve()
 *
 * Between vfork() and execve() the child runs in the parent's memory while
 * the parent is suspended: it makes system calls only, with all signals
 * blocked, so that no handler of the parent runs in the child.
 */
#include "ndrxd/launch/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* SIGHUP stays ignored: when ndrxd is killed, the kernel sends it to children
 * that are stopped at that time (their process groups are orphans). */
static void default_signals(void)
{
	struct sigaction sa;
	int sig;

	memset(&sa, 0, sizeof(sa));
	for (sig = 1; sig < NSIG; sig++) {
		sa.sa_handler = sig == SIGHUP ? SIG_IGN : SIG_DFL;
		sigaction(sig, &sa, NULL);
	}
}

static void write_pid(char *text)
{
	pid_t pid = getpid();
	int i;

	for (i = OW_LAUNCH_PID_DIGITS; i-- > 0; pid /= 10)
		text[i] = (char)('0' + pid % 10);
}

static void child(const struct ow_launch_exec *e)
{
	sigset_t none;

	setpgid(0, 0);
	default_signals();
	setrlimit(RLIMIT_NOFILE, &e->base->nofile);
	dup2(e->base->null_fd, STDIN_FILENO);
	if (e->out_fd >= 0)
		dup2(e->out_fd, STDOUT_FILENO);
	if (e->err_fd >= 0)
		dup2(e->err_fd, STDERR_FILENO);
	if (e->lock_fd >= 0)
		fcntl(e->lock_fd, F_SETFD, 0);
	if (e->pid_text != NULL)
		write_pid(e->pid_text);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	ow_priority_of_child(e->base->priority);
	if (e->wd == NULL || chdir(e->wd) == 0)
		execve(e->path, e->argv, e->envp);
}

int ow_launch_exec(const struct ow_launch_exec *e, pid_t *ret_pid)
{
	sigset_t all, old;
	volatile int err = 0;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = vfork();
	if (pid == 0) {
		child(e);
		err = errno;
		_exit(127);
	}
	if (pid < 0)
		err = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (pid > 0 && err != 0)
		waitpid(pid, NULL, 0); /* it has ended already */
	if (err != 0)
		return -err;
	ow_priority_restore(e->base->priority, pid);
	*ret_pid = pid;
	return 0;
}
