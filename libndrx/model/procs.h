/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procs.h - processor time, memory and context switches of processes
 *
 * Reading /proc is the expensive part of a look: a file for each process and
 * figure. So each look reads only some processes, in turn; each process is
 * read every second or two, and its last reading is used in between.
 */
#ifndef OW_PROCS_H
#define OW_PROCS_H

#include <stdbool.h>
#include <stdint.h>

/* One reading; read_ns 0: none yet. */
struct ow_proc {
	uint64_t read_ns;  /* monotonic */
	uint64_t start;	   /* start time, as in the tables */
	bool zombie;
	bool stopped;	   /* by a signal */
	uint64_t cpu_us;   /* user and system time so far */
	uint64_t rss;	   /* bytes */
	uint64_t switches; /* voluntary and not, so far; 0: not read */
	uint64_t requests; /* received by the server so far */
};

/*
 * Read process `pid`. 0; -ESRCH: it has ended; -errno: it cannot be read.
 * *ret is untouched on failure.
 */
int ow_proc_read(int32_t pid, bool switches, struct ow_proc *ret);

/* Does a process with this pid exist? It may be a new one. */
bool ow_pid_exists(int32_t pid);

/* The last reading of each server. */
struct ow_procs;

struct ow_procs *ow_procs_new(void);
struct ow_procs *ow_procs_free(struct ow_procs *p);
/* Begin a new look at `n` servers. */
void ow_procs_begin(struct ow_procs *p, uint32_t n, bool switches);
/*
 * The reading of server `srvid`, process `pid` started at `start`; read again
 * if it is its turn. False: that process has ended.
 */
bool ow_procs_look(struct ow_procs *p, uint32_t srvid, int32_t pid,
		   uint64_t start, uint64_t requests, struct ow_proc *ret);

#endif
