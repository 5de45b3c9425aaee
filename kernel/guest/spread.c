/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spread.c - who gets the messages of a queue that many wait at
 *
 *	spread [MODE [SERVERS [CLIENTS [CALLS]]]]
 *
 * SERVERS processes wait in epoll at one POSIX queue, CLIENTS threads send to
 * it and wait for the answer. MODE is how the servers are registered:
 *	excl	EPOLLEXCLUSIVE
 *	even	EPOLLEXCLUSIVE | EPOLLBALANCE, a flag of patched kernels
 *	rotate	EPOLLEXCLUSIVE, and who received removes and adds itself
 *	herd	neither
 * One JSON object tells calls per second, context switches per call, and how
 * the calls fell on the servers: how many served at all, and the largest
 * share of one as a multiple of the fair one.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#ifndef EPOLLEXCLUSIVE
#define EPOLLEXCLUSIVE (1u << 28)
#endif
#define EPOLLBALANCE (1u << 26)
#define CLIENTS_MAX  64
#define SIZE	     200

struct board { /* shared by all processes */
	atomic_int ready;
	long served[];
};

struct run {
	const char *mode;
	long servers, clients, calls;
	mqd_t requests, replies[CLIENTS_MAX];
	struct board *board;
};

struct client {
	const struct run *r;
	pthread_t thread;
	int id;
};

static void die(const char *what)
{
	fprintf(stderr, "spread: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static mqd_t make_queue(long i)
{
	struct mq_attr shape = { .mq_maxmsg = 10, .mq_msgsize = SIZE };
	char name[64];
	mqd_t q;

	snprintf(name, sizeof(name), "/spread%d,%ld", (int)getpid(), i);
	q = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &shape);
	if (q == (mqd_t)-1)
		die("queue");
	mq_unlink(name);
	return q;
}

static int is_mode(const struct run *r, const char *mode)
{
	return strcmp(r->mode, mode) == 0;
}

static void watch(const struct run *r, int ep)
{
	struct epoll_event ev = { .events = EPOLLIN };

	if (!is_mode(r, "herd"))
		ev.events |= EPOLLEXCLUSIVE;
	if (is_mode(r, "even"))
		ev.events |= EPOLLBALANCE;
	if (epoll_ctl(ep, EPOLL_CTL_ADD, r->requests, &ev) < 0)
		die("epoll_ctl");
}

static void run_server(const struct run *r, long id, pid_t parent)
{
	struct timespec past = { 0, 0 };
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ev;
	char m[SIZE];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	watch(r, ep);
	atomic_fetch_add(&r->board->ready, 1);
	for (;;) {
		if (epoll_wait(ep, &ev, 1, -1) < 1 ||
		    mq_timedreceive(r->requests, m, SIZE, NULL, &past) < 0)
			continue; /* another one was faster */
		if (is_mode(r, "rotate")) {
			epoll_ctl(ep, EPOLL_CTL_DEL, r->requests, NULL);
			watch(r, ep);
		}
		r->board->served[id]++;
		mq_send(r->replies[(int)m[0]], m, SIZE, 0);
	}
}

static void *run_client(void *arg)
{
	const struct client *c = arg;
	const struct run *r = c->r;
	char m[SIZE] = { (char)c->id };
	long i;

	for (i = 0; i < r->calls / r->clients; i++)
		if (mq_send(r->requests, m, SIZE, 0) < 0 ||
		    mq_receive(r->replies[c->id], m, SIZE, NULL) < 0)
			die("call");
	return NULL;
}

static double run_clients(const struct run *r)
{
	struct client c[CLIENTS_MAX];
	double start = now();
	int i;

	for (i = 0; i < r->clients; i++) {
		c[i].r = r;
		c[i].id = i;
		if (pthread_create(&c[i].thread, NULL, run_client, &c[i]) != 0)
			die("thread");
	}
	for (i = 0; i < r->clients; i++)
		pthread_join(c[i].thread, NULL);
	return now() - start;
}

static pid_t *start_servers(const struct run *r)
{
	pid_t *pids = calloc((size_t)r->servers, sizeof(*pids));
	struct timespec nap = { .tv_nsec = 1000000 };
	pid_t self = getpid();
	long i;

	for (i = 0; pids != NULL && i < r->servers; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork");
		if (pids[i] == 0)
			run_server(r, i, self);
	}
	while (atomic_load(&r->board->ready) < r->servers) {
		if (waitpid(-1, NULL, WNOHANG) > 0) {
			fprintf(stderr, "spread: a server has ended\n");
			exit(1);
		}
		nanosleep(&nap, NULL);
	}
	return pids;
}

static long switches(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return ru.ru_nvcsw + ru.ru_nivcsw;
}

static void print(const struct run *r, double seconds, long n)
{
	long i, most = 0, used = 0, calls = r->calls / r->clients * r->clients;

	for (i = 0; i < r->servers; i++) {
		used += r->board->served[i] > 0;
		if (r->board->served[i] > most)
			most = r->board->served[i];
	}
	printf("{\"mode\":\"%s\",\"servers\":%ld,\"threads\":%ld,"
	       "\"calls\":%ld,\"calls_per_s\":%.0f,"
	       "\"ctx_switches_per_call\":%.3f,\"servers_used\":%ld,"
	       "\"largest_share\":%.3f}\n",
	       r->mode, r->servers, r->clients, calls, (double)calls / seconds,
	       (double)n / (double)calls, used,
	       (double)most * (double)r->servers / (double)calls);
}

static void parse(int argc, char **argv, struct run *r)
{
	r->mode = argc > 1 ? argv[1] : "excl";
	r->servers = argc > 2 ? atol(argv[2]) : 250;
	r->clients = argc > 3 ? atol(argv[3]) : 10;
	r->calls = argc > 4 ? atol(argv[4]) : 100000;
	if ((!is_mode(r, "excl") && !is_mode(r, "even") &&
	     !is_mode(r, "rotate") && !is_mode(r, "herd")) ||
	    r->servers < 1 || r->servers > 10000 || r->clients < 1 ||
	    r->clients > CLIENTS_MAX || r->calls < r->clients) {
		fprintf(stderr, "usage: spread [excl|even|rotate|herd "
				"[SERVERS [CLIENTS [CALLS]]]]\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct run r = { 0 };
	double seconds;
	pid_t *pids;
	long i, n;

	parse(argc, argv, &r);
	r.board = mmap(NULL, sizeof(*r.board) +
		       (size_t)r.servers * sizeof(long),
		       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		       0);
	if (r.board == MAP_FAILED)
		die("memory");
	r.requests = make_queue(0);
	for (i = 0; i < r.clients; i++)
		r.replies[i] = make_queue(i + 1);
	pids = start_servers(&r);
	n = switches(RUSAGE_SELF);
	seconds = run_clients(&r);
	n = switches(RUSAGE_SELF) - n;
	for (i = 0; i < r.servers; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < r.servers; i++)
		waitpid(pids[i], NULL, 0);
	free(pids);
	print(&r, seconds, n + switches(RUSAGE_CHILDREN));
	return 0;
}
