/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_exec.c - vfork and execve, with everything set right in between
 *
 * Between vfork() and execve() the child runs in the parent's memory while
 * the parent stands still: only system calls there, and all signals blocked,
 * so that no handler of the parent runs in the child.
 */
#include "ndrxd/launch_exec.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ndrxd/launch.h"

static void default_signals(void)
{
	struct sigaction sa;
	int sig;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = SIG_DFL;
	for (sig = 1; sig < NSIG; sig++)
		sigaction(sig, &sa, NULL);
}

static void child(const char *path, char **argv, char **envp,
		  const struct ow_launch_base *base)
{
	sigset_t none;

	setpgid(0, 0);
	default_signals();
	setrlimit(RLIMIT_NOFILE, &base->nofile);
	dup2(base->null_fd, STDIN_FILENO);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(path, argv, envp);
}

int ow_launch_exec(const char *path, char **argv, char **envp,
		   const struct ow_launch_base *base, pid_t *ret_pid)
{
	sigset_t all, old;
	volatile int err = 0;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = vfork();
	if (pid == 0) {
		child(path, argv, envp, base);
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
	*ret_pid = pid;
	return 0;
}
