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
#include "bench/baseline.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const struct mode {
	const char *name;
	const struct ow_bare *ops;
} modes[] = {
	{ .name = "excl", .ops = &ow_bare_mq },
	{ .name = "bell", .ops = &ow_bare_mq },
	{ .name = "herd", .ops = &ow_bare_mq },
	{ .name = "block", .ops = &ow_bare_mq },
	{ .name = "shm", .ops = &ow_bare_shm },
};

struct run {
	struct bare_job job;
	const struct ow_bare *ops;
	void *bare;
	int ready[2]; /* a byte from each server that waits */
};

struct client {
	const struct run *r;
	pthread_t thread;
	int id;
};

_Noreturn void ow_bare_die(const char *what)
{
	fprintf(stderr, "baseline: %s: %s\n", what, strerror(errno));
	exit(1);
}

void ow_bare_work(const struct bare_job *j, struct bare_message *m)
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

static _Noreturn void run_server(const struct run *r, long id, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	r->ops->open_server(r->bare, id);
	if (write(r->ready[1], "r", 1) != 1)
		ow_bare_die("ready");
	for (;;)
		r->ops->serve(r->bare, id);
}

static void *run_client(void *arg)
{
	struct client *c = arg;
	const struct run *r = c->r;
	const struct bare_job *j = &r->job;
	long i, n = j->calls / j->clients + (c->id < j->calls % j->clients);
	struct bare_message m;

	memset(&m, 1, sizeof(m));
	m.client = c->id;
	for (i = 0; i < n; i++)
		r->ops->call(r->bare, &m);
	return NULL;
}

static pid_t *start_servers(struct run *r)
{
	pid_t *pids = calloc((size_t)r->job.servers, sizeof(*pids));
	pid_t self = getpid();
	char byte;
	long i;

	if (pids == NULL || pipe(r->ready) < 0)
		ow_bare_die("start");
	for (i = 0; i < r->job.servers; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			ow_bare_die("fork");
		if (pids[i] == 0)
			run_server(r, i, self);
	}
	close(r->ready[1]);
	for (i = 0; i < r->job.servers; i++)
		if (read(r->ready[0], &byte, 1) != 1) {
			r->ops->remove(r->bare);
			ow_bare_die("a server did not start");
		}
	return pids;
}

static double run_clients(const struct run *r)
{
	struct client c[BARE_CLIENTS_MAX];
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

/* End the servers; returns the context switches of all processes. */
static long stop_servers(const struct run *r, pid_t *pids)
{
	struct rusage self, children;
	long i;

	for (i = 0; i < r->job.servers; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < r->job.servers; i++)
		waitpid(pids[i], NULL, 0);
	free(pids);
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return self.ru_nvcsw + self.ru_nivcsw + children.ru_nvcsw +
	       children.ru_nivcsw;
}

static void parse(int argc, char **argv, struct run *r)
{
	long size = argc > 5 ? atol(argv[5]) : 200;
	struct bare_job *j = &r->job;
	size_t i;

	j->mode = argc > 1 ? argv[1] : "excl";
	j->servers = argc > 2 ? atol(argv[2]) : 250;
	j->clients = argc > 3 ? atol(argv[3]) : 10;
	j->calls = argc > 4 ? atol(argv[4]) : 200000;
	j->size = (size_t)size;
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, j->mode) == 0)
			r->ops = modes[i].ops;
	if (r->ops != NULL && j->servers >= 1 &&
	    j->servers <= BARE_SERVERS_MAX && j->clients >= 1 &&
	    j->clients <= BARE_CLIENTS_MAX && j->calls >= 1 &&
	    size > (long)sizeof(int) && size <= BARE_SIZE_MAX)
		return;
	fprintf(stderr, "usage: baseline [excl|bell|herd|block|shm [SERVERS "
			"[CLIENTS [CALLS [BYTES]]]]]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct run r = { .ops = NULL };
	sigset_t quiet, old;
	double seconds;
	pid_t *pids;
	long switches;

	parse(argc, argv, &r);
	/* Signals must not end the process while names exist. */
	sigemptyset(&quiet);
	sigaddset(&quiet, SIGINT);
	sigaddset(&quiet, SIGTERM);
	sigprocmask(SIG_BLOCK, &quiet, &old);
	r.bare = r.ops->make(&r.job);
	pids = start_servers(&r);
	r.ops->open_parent(r.bare);
	r.ops->remove(r.bare);
	sigprocmask(SIG_SETMASK, &old, NULL);
	seconds = run_clients(&r);
	switches = stop_servers(&r, pids);
	printf("{\"mode\":\"%s\",\"servers\":%ld,\"threads\":%ld,"
	       "\"calls\":%ld,\"calls_per_s\":%.0f,"
	       "\"ctx_switches_per_call\":%.3f}\n",
	       r.job.mode, r.job.servers, r.job.clients, r.job.calls,
	       (double)r.job.calls / seconds,
	       (double)switches / (double)r.job.calls);
	return 0;
}
