/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proc.h - is the process alive whose number stands in shared memory?
 *
 * The kernel reuses pids: a process is identified by its pid and its start
 * time. A process wrongly counted as dead would lose its queue; therefore it
 * counts as alive when /proc cannot be read (no descriptor left).
 */
#ifndef OW_PROC_H
#define OW_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(default)

/* Start time of a process, in clock ticks since boot. 0: it is gone, it is a
 * zombie, or /proc cannot be read. */
uint64_t ow_proc_start(pid_t pid);
/* Does a process with this pid exist, other than a zombie? */
bool ow_proc_exists(pid_t pid);
/* Is the process alive that has this pid and start time? */
bool ow_proc_alive(pid_t pid, uint64_t start);
/* Is the process stopped by a signal (SIGSTOP, a debugger)? */
bool ow_proc_stopped(pid_t pid);
/* Start time of this process. Cheap; a forked child gets its own. */
uint64_t ow_proc_start_self(void);

#pragma GCC visibility pop
#endif
