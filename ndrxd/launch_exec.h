/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_exec.h - vfork and execve, with everything set right in between
 */
#ifndef OW_LAUNCH_EXEC_H
#define OW_LAUNCH_EXEC_H

#include <sys/types.h>

struct ow_launch_base;

/* 0 with *ret_pid, or -errno of fork or exec (no process is left). */
int ow_launch_exec(const char *path, char **argv, char **envp,
		   const struct ow_launch_base *base, pid_t *ret_pid);

#endif
