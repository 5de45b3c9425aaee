/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bare.h - bare queues of each kind, as a reference
 *
 * bare.c starts the servers; baseline.c and workbare.c have the clients and
 * count. Each kind of queue is one `struct ow_bare` of functions in a file of
 * its own: POSIX queues (bare_mq.c), shared memory (bare_shm.c).
 * Nothing here uses the libraries of the project.
 */
#ifndef OW_BENCH_BARE_H
#define OW_BENCH_BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define BARE_CLIENTS_MAX 1024
#define BARE_SERVERS_MAX 10000
#define BARE_SIZE_MAX	 1024

struct bare_message {
	int client;
	char data[BARE_SIZE_MAX - sizeof(int)];
};

struct bare_job {
	const char *mode;
	long servers, clients, calls;
	size_t size; /* of a message, its head included */
	bool pipes; /* replies of POSIX queues: by a pipe for each client, as
		     * the kernel has queues for few */
	void (*work)(const struct bare_job *j, struct bare_message *m);
};

struct ow_bare {
	/* Before the servers are forked; nothing may stay behind if the
	 * process is killed after open(). */
	void *(*make)(const struct bare_job *j);
	/* In a server: ready to wait. In the parent, when all servers are. */
	void (*open_server)(void *bare, long id);
	void (*open_parent)(void *bare);
	/* Wait for a request, work, reply; or woken for nothing. */
	void (*serve)(void *bare, long id);
	/* Send a request and wait for the reply. */
	void (*call)(void *bare, struct bare_message *m);
	/* Remove the names, if any. */
	void (*remove)(void *bare);
};

extern const struct ow_bare ow_bare_mq, ow_bare_shm;

/* A job, its queues and its servers. */
struct bare_run {
	struct bare_job job;
	const struct ow_bare *ops;
	void *bare;
	pid_t *pids; /* of the servers */
};

/* "PROGRAM: WHAT: errno in words", and the end. */
_Noreturn void ow_bare_die(const char *what);
/* The queues of a mode, or NULL: no such mode. */
const struct ow_bare *ow_bare_of(const char *mode);
/* Make the queues of r->job and start its servers; when this returns all of
 * them wait, and no name is left that a signal could leave behind. */
void ow_bare_start(struct bare_run *r);
/* End the servers; the context switches of all processes. */
long ow_bare_stop(struct bare_run *r);

#endif
