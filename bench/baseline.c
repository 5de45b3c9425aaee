/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baseline.c - the same calls over bare queues, as a reference
 *
 *	baseline [MODE [SERVERS [CLIENTS [CALLS [BYTES]]]]]
 *
 * SERVERS processes wait on one queue. CLIENTS threads send to it and wait for
 * replies, each on a queue of its own. MODE is the kind of queue and how a
 * server waits:
 *	excl	POSIX queue, epoll, EPOLLEXCLUSIVE: the kernel wakes one
 *	bell	epoll, EPOLLEXCLUSIVE on a pipe with a byte for each message
 *	herd	epoll: the kernel wakes all
 *	block	blocking mq_receive()
 *	shm	shared memory, one futex per server, no wake-up while a woken
 *		server is on its way (not safe against kill)
 * No headers, no buffers, no checks: the difference is the cost of a runtime.
 * The servers end with their parent. The result is one JSON object on standard
 * output.
 */
#include "bench/bare.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS_MAX 64 /* each has a POSIX queue */

struct client {
	const struct bare_run *r;
	pthread_t thread;
	int id;
};

/* The least work of a service: read the message once. */
static void read_once(const struct bare_job *j, struct bare_message *m)
{
	volatile char sum = 0;
	size_t i;

	for (i = 0; i < j->size - sizeof(int); i++)
		sum = (char)(sum + m->data[i]);
	m->data[0] = sum;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void *run_client(void *arg)
{
	struct client *c = arg;
	const struct bare_run *r = c->r;
	const struct bare_job *j = &r->job;
	long i, n = j->calls / j->clients + (c->id < j->calls % j->clients);
	struct bare_message m;

	memset(&m, 1, sizeof(m));
	m.client = c->id;
	for (i = 0; i < n; i++)
		r->ops->call(r->bare, &m);
	return NULL;
}

static double run_clients(const struct bare_run *r)
{
	struct client c[THREADS_MAX];
	double start = now();
	long i;

	for (i = 0; i < r->job.clients; i++) {
		c[i].r = r;
		c[i].id = (int)i;
		if (pthread_create(&c[i].thread, NULL, run_client, &c[i]) != 0)
			ow_bare_die("thread");
	}
	for (i = 0; i < r->job.clients; i++)
		pthread_join(c[i].thread, NULL);
	return now() - start;
}

static void parse(int argc, char **argv, struct bare_run *r)
{
	long size = argc > 5 ? atol(argv[5]) : 200;
	struct bare_job *j = &r->job;

	j->mode = argc > 1 ? argv[1] : "excl";
	j->servers = argc > 2 ? atol(argv[2]) : 250;
	j->clients = argc > 3 ? atol(argv[3]) : 10;
	j->calls = argc > 4 ? atol(argv[4]) : 200000;
	j->size = (size_t)size;
	j->work = read_once;
	r->ops = ow_bare_of(j->mode);
	if (r->ops != NULL && j->servers >= 1 &&
	    j->servers <= BARE_SERVERS_MAX && j->clients >= 1 &&
	    j->clients <= THREADS_MAX && j->calls >= 1 &&
	    size > (long)sizeof(int) && size <= BARE_SIZE_MAX)
		return;
	fprintf(stderr, "usage: baseline [excl|bell|herd|block|shm [SERVERS "
			"[CLIENTS [CALLS [BYTES]]]]]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct bare_run r = { .ops = NULL };
	double seconds;
	long switches;

	parse(argc, argv, &r);
	ow_bare_start(&r);
	seconds = run_clients(&r);
	switches = ow_bare_stop(&r);
	printf("{\"mode\":\"%s\",\"servers\":%ld,\"threads\":%ld,"
	       "\"calls\":%ld,\"calls_per_s\":%.0f,"
	       "\"ctx_switches_per_call\":%.3f}\n",
	       r.job.mode, r.job.servers, r.job.clients, r.job.calls,
	       (double)r.job.calls / seconds,
	       (double)switches / (double)r.job.calls);
	return 0;
}
