/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baseline.c - the yardstick: the same calls over bare POSIX queues
 *
 *	baseline [MODE [SERVERS [CLIENTS [CALLS [BYTES]]]]]
 *
 * SERVERS processes wait at one queue, CLIENTS threads send to it and wait,
 * each at a queue of its own, for the answer. MODE is how a server waits:
 *	excl	epoll, EPOLLEXCLUSIVE: the kernel wakes one
 *	bell	epoll, EPOLLEXCLUSIVE on a pipe with a byte for each message
 *	herd	epoll: the kernel wakes all
 *	block	blocking mq_receive()
 * No headers, no buffers, no checks: what a runtime adds is measured against
 * it. The names of the queues are gone before the first call, and the
 * servers end with their parent, so that nothing stays behind. One JSON
 * object on standard output tells the result.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define CLIENTS_MAX 64
#define SIZE_MAX_MQ 1024

struct message {
	int client;
	char data[SIZE_MAX_MQ - sizeof(int)];
};

struct setup {
	const char *mode;
	long servers, clients, calls;
	size_t size; /* of a message */
	mqd_t requests;
	mqd_t replies[CLIENTS_MAX];
	int ready[2]; /* a byte from each server that waits */
	int bell[2];  /* mode bell */
};

struct client {
	const struct setup *s;
	pthread_t thread;
	int id;
};

static void die(const char *what)
{
	fprintf(stderr, "baseline: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Queue 0 takes requests, 1 + i the replies of client i. */
static const char *queue_name(pid_t owner, long i)
{
	static char name[64];

	snprintf(name, sizeof(name), "/owbase%d,%ld", (int)owner, i);
	return name;
}

static void make_queues(const struct setup *s)
{
	struct mq_attr shape = { .mq_maxmsg = 10, .mq_msgsize = SIZE_MAX_MQ };
	mqd_t q;
	long i;

	for (i = 0; i <= s->clients; i++) {
		q = mq_open(queue_name(getpid(), i), O_CREAT | O_EXCL | O_RDWR,
			    0600, &shape);
		if (q == (mqd_t)-1)
			die("queue");
		mq_close(q);
	}
}

static void open_queues(struct setup *s, pid_t owner, int flags)
{
	long i;

	s->requests = mq_open(queue_name(owner, 0), O_RDWR | flags);
	if (s->requests == (mqd_t)-1)
		die("open request queue");
	for (i = 0; i < s->clients; i++) {
		s->replies[i] = mq_open(queue_name(owner, i + 1), O_RDWR);
		if (s->replies[i] == (mqd_t)-1)
			die("open reply queue");
	}
}

static void remove_names(const struct setup *s)
{
	long i;

	for (i = 0; i <= s->clients; i++)
		mq_unlink(queue_name(getpid(), i));
}

/* As little as a service can do: read it once. */
static void serve(const struct setup *s, struct message *m)
{
	volatile char sum = 0;
	size_t i;

	for (i = 0; i < s->size - sizeof(int); i++)
		sum = (char)(sum + m->data[i]);
	m->data[0] = sum;
	if (m->client < 0 || m->client >= s->clients ||
	    mq_send(s->replies[m->client], (char *)m, s->size, 0) < 0)
		die("reply");
}

static int is_mode(const struct setup *s, const char *mode)
{
	return strcmp(s->mode, mode) == 0;
}

static int make_epoll(const struct setup *s)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(EPOLL_CLOEXEC);
	int fd = is_mode(s, "bell") ? s->bell[0] : s->requests;

	if (!is_mode(s, "herd"))
		ev.events |= EPOLLEXCLUSIVE;
	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev) < 0)
		die("epoll");
	return ep;
}

/* Woken: is there something for us? */
static int is_called(const struct setup *s)
{
	char c;

	return !is_mode(s, "bell") || read(s->bell[0], &c, 1) == 1;
}

static void run_server(struct setup *s, pid_t parent)
{
	int block = is_mode(s, "block"), ep = -1;
	struct epoll_event ev;
	struct message m;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	open_queues(s, parent, block ? 0 : O_NONBLOCK);
	if (!block)
		ep = make_epoll(s);
	if (write(s->ready[1], "r", 1) != 1)
		die("ready");
	for (;;) {
		if (!block && (epoll_wait(ep, &ev, 1, -1) < 1 || !is_called(s)))
			continue;
		if (mq_receive(s->requests, (char *)&m, sizeof(m), NULL) < 0)
			continue; /* another one was faster */
		serve(s, &m);
	}
}

static void *run_client(void *arg)
{
	struct client *c = arg;
	const struct setup *s = c->s;
	long i, n = s->calls / s->clients + (c->id < s->calls % s->clients);
	struct message m;
	struct timespec until;

	memset(&m, 1, sizeof(m));
	m.client = c->id;
	for (i = 0; i < n; i++) {
		if (mq_send(s->requests, (char *)&m, s->size, 0) < 0)
			die("send");
		if (is_mode(s, "bell") && write(s->bell[1], "", 1) != 1)
			die("bell");
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += 60;
		if (mq_timedreceive(s->replies[c->id], (char *)&m, sizeof(m),
				    NULL, &until) < 0)
			die("receive");
	}
	return NULL;
}

static pid_t *start_servers(struct setup *s)
{
	pid_t *pids = calloc((size_t)s->servers, sizeof(*pids));
	pid_t self = getpid();
	char byte;
	long i;

	if (pids == NULL || pipe(s->ready) < 0)
		die("start");
	for (i = 0; i < s->servers; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork");
		if (pids[i] == 0)
			run_server(s, self);
	}
	close(s->ready[1]);
	for (i = 0; i < s->servers; i++)
		if (read(s->ready[0], &byte, 1) != 1) {
			remove_names(s);
			die("a server did not start");
		}
	return pids;
}

static double run_clients(const struct setup *s)
{
	struct client c[CLIENTS_MAX];
	double start = now();
	long i;

	for (i = 0; i < s->clients; i++) {
		c[i].s = s;
		c[i].id = (int)i;
		if (pthread_create(&c[i].thread, NULL, run_client, &c[i]) != 0)
			die("thread");
	}
	for (i = 0; i < s->clients; i++)
		pthread_join(c[i].thread, NULL);
	return now() - start;
}

/* End the servers; context switches of them and of us. */
static long stop_servers(const struct setup *s, pid_t *pids)
{
	struct rusage self, children;
	long i;

	for (i = 0; i < s->servers; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < s->servers; i++)
		waitpid(pids[i], NULL, 0);
	free(pids);
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return self.ru_nvcsw + self.ru_nivcsw + children.ru_nvcsw +
	       children.ru_nivcsw;
}

static void parse(int argc, char **argv, struct setup *s)
{
	long size = argc > 5 ? atol(argv[5]) : 200;

	s->mode = argc > 1 ? argv[1] : "excl";
	s->servers = argc > 2 ? atol(argv[2]) : 250;
	s->clients = argc > 3 ? atol(argv[3]) : 10;
	s->calls = argc > 4 ? atol(argv[4]) : 200000;
	s->size = (size_t)size;
	if ((!is_mode(s, "excl") && !is_mode(s, "bell") &&
	     !is_mode(s, "herd") && !is_mode(s, "block")) || s->servers < 1 ||
	    s->servers > 10000 || s->clients < 1 || s->calls < 1 ||
	    s->clients > CLIENTS_MAX || size < (long)sizeof(int) + 1 ||
	    size > SIZE_MAX_MQ) {
		fprintf(stderr, "usage: baseline [excl|bell|herd|block [SERVERS "
				"[CLIENTS [CALLS [BYTES]]]]]\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	sigset_t quiet, old;
	struct setup s;
	double seconds;
	pid_t *pids;
	long switches;

	parse(argc, argv, &s);
	/* No end by a signal while the names exist. */
	sigemptyset(&quiet);
	sigaddset(&quiet, SIGINT);
	sigaddset(&quiet, SIGTERM);
	sigprocmask(SIG_BLOCK, &quiet, &old);
	if (pipe2(s.bell, O_NONBLOCK | O_CLOEXEC) < 0)
		die("bell");
	make_queues(&s);
	pids = start_servers(&s);
	open_queues(&s, getpid(), 0);
	remove_names(&s);
	sigprocmask(SIG_SETMASK, &old, NULL);
	seconds = run_clients(&s);
	switches = stop_servers(&s, pids);
	printf("{\"mode\":\"%s\",\"servers\":%ld,\"threads\":%ld,"
	       "\"calls\":%ld,\"calls_per_s\":%.0f,"
	       "\"ctx_switches_per_call\":%.3f}\n",
	       s.mode, s.servers, s.clients, s.calls,
	       (double)s.calls / seconds, (double)switches / (double)s.calls);
	return 0;
}
