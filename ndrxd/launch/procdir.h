/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procdir.h - read /proc: parent, memory, signals of a process
 */
#ifndef OW_PROCDIR_H
#define OW_PROCDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Call `fn` for every process. */
void ow_procdir_each(void (*fn)(void *arg, pid_t pid), void *arg);

/* Parent of a process, 0: unknown. */
pid_t ow_procdir_parent(pid_t pid);

struct ow_procdir_limits {
	int64_t rssmax, vszmax; /* bytes or OW_CONFIG_NO_LIMIT */
	/* Mappings of files whose path begins so do not count for vszmax: the
	 * segments of the domain, gigabytes of address space that use no
	 * memory. */
	const char *apart;
};

/* Does the process exceed a limit? Then `why` says so in numbers. False also
 * when the process is gone. */
bool ow_procdir_exceeds(pid_t pid, const struct ow_procdir_limits *limits,
			char *why, size_t size);

/* A variable of the environment that the process was started with, malloc'ed;
 * NULL: it has none, or cannot be read. */
char *ow_procdir_variable(pid_t pid, const char *name);

/* Has the process a handler for this signal? */
bool ow_procdir_catches(pid_t pid, int sig);

#endif
