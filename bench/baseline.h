/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baseline.h - operations of bare queues of each kind
 *
 * baseline.c starts the servers and the client threads, and counts. Each kind
 * of queue is one `struct ow_bare` of functions in a file of its own: POSIX
 * queues (baseline_mq.c), shared memory (baseline_shm.c).
 * Nothing here uses the libraries of the project.
 */
#ifndef OW_BENCH_BASELINE_H
#define OW_BENCH_BASELINE_H

#include <stddef.h>
#include <sys/types.h>

#define BARE_CLIENTS_MAX 64
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
};

struct ow_bare {
	/* Before the servers are forked; nothing may stay behind if the
	 * process is killed after open(). */
	void *(*make)(const struct bare_job *j);
	/* In a server: ready to wait. In the parent, when all servers are. */
	void (*open_server)(void *bare, long id);
	void (*open_parent)(void *bare);
	/* Wait for a request and reply; or woken for nothing. */
	void (*serve)(void *bare, long id);
	/* Send a request and wait for the reply. */
	void (*call)(void *bare, struct bare_message *m);
	/* Remove the names, if any. */
	void (*remove)(void *bare);
};

extern const struct ow_bare ow_bare_mq, ow_bare_shm;

/* "baseline: WHAT: errno in words", and the end. */
_Noreturn void ow_bare_die(const char *what);
/* The least work of a service: read the message once. */
void ow_bare_work(const struct bare_job *j, struct bare_message *m);

#endif
