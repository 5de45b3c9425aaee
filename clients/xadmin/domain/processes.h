/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processes.h - processes of this machine, as /proc shows them
 */
#ifndef OW_PROCESSES_H
#define OW_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ow_domain;

struct ow_process {
	pid_t pid, ppid;
	uid_t uid;
	uint64_t start; /* ow_proc_start() */
	uint64_t vsz_kb, rss_kb;
	char name[256];	   /* of the program: the last part of argv[0] */
	char cmdline[4096]; /* blanks between the words */
};

/* Look at a process: false when it is gone or cannot be looked at. */
bool ow_process_read(pid_t pid, struct ow_process *ret);

/* Every process, in the order of /proc; `fn` returns false to end. */
void ow_process_each(bool (*fn)(const struct ow_process *p, void *arg),
		     void *arg);

/* Has the process this file in its memory, removed or not? */
bool ow_process_maps(pid_t pid, const char *file);

/* Has it the same NDRX_QPREFIX in its environment, or the domain's tables in
 * its memory? */
bool ow_process_is_of(const struct ow_process *p, const struct ow_domain *d);

#endif
