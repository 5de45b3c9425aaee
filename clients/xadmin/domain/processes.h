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

/* Read a process. False: it has gone, or may not be read. */
bool ow_process_read(pid_t pid, struct ow_process *ret);

/* Call `fn` for every process, until it returns false. */
void ow_process_each(bool (*fn)(const struct ow_process *p, void *arg),
		     void *arg);

/* Has the process mapped tables of the domain, removed or not? */
bool ow_process_maps(pid_t pid, const struct ow_domain *d);

/* Does the process belong to the domain: by NDRX_QPREFIX in its environment,
 * or because it has mapped the domain's tables? */
bool ow_process_is_of(const struct ow_process *p, const struct ow_domain *d);

#endif
