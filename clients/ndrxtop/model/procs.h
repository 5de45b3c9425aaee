/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procs.h - processor time, memory and context switches of processes
 *
 * /proc is the dear part of looking at a domain: a file per process and
 * figure. So processes are read in turn, some at each look, each of them
 * every second or two; in between the last reading stands.
 */
#ifndef OW_PROCS_H
#define OW_PROCS_H

#include <stdbool.h>
#include <stdint.h>

/* One reading; read_ns 0: none yet. */
struct ow_proc {
	uint64_t read_ns;  /* monotonic */
	uint64_t start;	   /* of the process, as in the tables */
	bool zombie;
	uint64_t cpu_us;   /* user and system time so far */
	uint64_t rss;	   /* bytes */
	uint64_t switches; /* voluntary and not, so far; 0: not read */
	uint64_t requests; /* what the server had received by then */
};

/*
 * Read process `pid`. 0, -ESRCH: it has gone, -errno: it cannot be looked
 * at. *ret is untouched on failure.
 */
int ow_proc_read(int32_t pid, bool switches, struct ow_proc *ret);

/* Is there a process of this number? (Not: the same one as before.) */
bool ow_pid_exists(int32_t pid);

/* The last reading of each server. */
struct ow_procs;

struct ow_procs *ow_procs_new(void);
struct ow_procs *ow_procs_free(struct ow_procs *p);
/* A new look begins, at `n` servers. */
void ow_procs_begin(struct ow_procs *p, uint32_t n, bool switches);
/*
 * The reading of server `srvid`, process `pid` started at `start`; a fresh
 * one when it is its turn. False: that process has ended.
 */
bool ow_procs_look(struct ow_procs *p, uint32_t srvid, int32_t pid,
		   uint64_t start, uint64_t requests, struct ow_proc *ret);

#endif
