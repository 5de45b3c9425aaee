/* SPDX-License-Identifier: Apache-2.0 */
/*
 * census.h - counters of the servers of a domain, read from outside
 *
 * Reads the shared tables and /proc, and changes nothing. The difference of a
 * census before and one after a run is the cost of the run.
 */
#ifndef OW_BENCH_CENSUS_H
#define OW_BENCH_CENSUS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ow_tables;

struct ow_census_server {
	uint32_t srvid;
	pid_t pid;
	uint64_t calls;	   /* served, whatever the result */
	uint64_t wakeups;  /* returns from its wait */
	uint64_t switches; /* context switches of the process */
};

struct ow_census {
	size_t n;
	struct ow_census_server *server; /* ordered by srvid */
};

/* Attach to the domain of the environment, which must exist: 0, or -errno
 * after printing the reason. */
int ow_census_attach(struct ow_tables **ret);

/* Wait until `n` servers are ready, at most 30 s: 0 or -ETIMEDOUT. */
int ow_census_await(const struct ow_tables *t, size_t n);

/* Count all living servers: 0 or -errno. Free with ow_census_free(). */
int ow_census_take(const struct ow_tables *t, struct ow_census *ret);
void ow_census_free(struct ow_census *c);

/* after -= before, server by server; a restarted one keeps the counts of its
 * new process. */
void ow_census_subtract(struct ow_census *after,
			const struct ow_census *before);

/* Context switches so far of a process with one thread; 0: gone. */
uint64_t ow_census_switches(pid_t pid);

#endif
