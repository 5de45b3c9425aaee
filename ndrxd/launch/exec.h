/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.h - start one program: vfork(), settings of the child, execve()
 */
#ifndef OW_LAUNCH_EXEC_H
#define OW_LAUNCH_EXEC_H

#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "ndrxd/launch/priority.h"

/* The same for every child. */
struct ow_launch_base {
	const char *rndk;     /* NDRX_RNDK, "" if unset */
	struct rlimit nofile; /* before ndrxd raised its own */
	struct ow_priority priority; /* how ndrxd was raised */
	int null_fd;	      /* /dev/null */
};

#define OW_LAUNCH_PID_DIGITS 10

struct ow_launch_exec {
	const char *path;
	char **argv, **envp;
	const struct ow_launch_base *base;
	int lock_fd;	/* stays open in the child; -1: none */
	int out_fd, err_fd; /* its output; -1: that of ndrxd */
	const char *wd; /* its working folder; NULL: that of ndrxd */
	/* OW_LAUNCH_PID_DIGITS characters in `envp` that the child replaces by
	 * its process id, with leading zeros; NULL: none. */
	char *pid_text;
};

/* 0 with *ret_pid, or -errno of fork, chdir or exec (no process is left). */
int ow_launch_exec(const struct ow_launch_exec *e, pid_t *ret_pid);

#endif
