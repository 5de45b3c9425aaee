/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.h - vfork and execve, with everything set right in between
 */
#ifndef OW_LAUNCH_EXEC_H
#define OW_LAUNCH_EXEC_H

#include <stddef.h>
#include <sys/types.h>

struct ow_launch_base;

#define OW_LAUNCH_PID_DIGITS 10

struct ow_launch_exec {
	const char *path;
	char **argv, **envp;
	const struct ow_launch_base *base;
	int lock_fd;	/* stays open in the child; -1: none */
	int out_fd, err_fd; /* its output; -1: ours */
	const char *wd; /* its working folder; NULL: ours */
	/* OW_LAUNCH_PID_DIGITS characters in `envp` that the child replaces by
	 * its process id, with leading zeros; NULL: none. */
	char *pid_text;
};

/* 0 with *ret_pid, or -errno of fork, chdir or exec (no process is left). */
int ow_launch_exec(const struct ow_launch_exec *e, pid_t *ret_pid);

#endif
