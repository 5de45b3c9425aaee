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
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Start time of a process, in clock ticks since boot. 0: it is gone, it is a
 * zombie, or /proc cannot be read. */
uint64_t ow_proc_start(pid_t pid);
/* Does a process with this pid exist, other than a zombie? */
bool ow_proc_exists(pid_t pid);
/* Is the process alive that has this pid and start time? */
bool ow_proc_alive(pid_t pid, uint64_t start);
/* Is the process stopped by a signal (SIGSTOP, a debugger)? */
bool ow_proc_stopped(pid_t pid);
/* Is the process inside execve(), its new memory not complete yet? Its command
 * line and environment in /proc are empty that long. (False for a process that
 * may not be looked at.) */
bool ow_proc_loading(pid_t pid);
/* The PID namespace of this process, as a number; 0: unknown, /proc is not
 * mounted, or it is the /proc of another namespace. */
uint64_t ow_proc_namespace(void);
/* Is process `pid`, found in /proc, of our PID namespace? /proc also shows the
 * processes of containers. True if it may not be looked at. */
bool ow_proc_is_near(pid_t pid);
/* Start time of this process. Cheap; a forked child gets its own. */
uint64_t ow_proc_start_self(void);

/*
 * Both in one word, so that one compare-and-swap claims a thing for a process:
 * pid below (Linux has at most 2^22), start time above. 0: no process.
 */
typedef uint64_t ow_proc_id;
#define OW_PROC_PID_BITS 22

/* Of this process; 0: /proc cannot be read. Cheap; a forked child gets its
 * own. */
ow_proc_id ow_proc_id_self(void);
/* As ow_proc_alive(); 0 is dead. */
bool ow_proc_id_alive(ow_proc_id id);
/* Threads of this process, from /proc; 0: unknown. */
unsigned int ow_proc_threads(void);
/* State and program name of a process, from /proc: 'S', 'T' (stopped), ...;
 * 0: it is gone, or /proc cannot be read. */
char ow_proc_look(pid_t pid, char *ret_name, size_t size);

/* Continue a process that is stopped by a signal (SIGSTOP, ^Z): true with its
 * name. Not one that a debugger has stopped. */
bool ow_proc_continue(pid_t pid, char *ret_name, size_t size);

static inline ow_proc_id ow_proc_id_make(pid_t pid, uint64_t start)
{
	return start << OW_PROC_PID_BITS | (uint64_t)pid;
}

static inline pid_t ow_proc_id_pid(ow_proc_id id)
{
	return (pid_t)(id & ((UINT64_C(1) << OW_PROC_PID_BITS) - 1));
}

static inline uint64_t ow_proc_id_start(ow_proc_id id)
{
	return id >> OW_PROC_PID_BITS;
}

#endif
