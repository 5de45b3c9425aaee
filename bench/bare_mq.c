/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bare_mq.c - bare POSIX queues: one for requests, one for each client, or a
 * pipe for each
 *
 * The mode says how a server waits: excl, bell, herd, block (see baseline.c).
 * The names are unlinked before the first call.
 */
#include "bench/bare.h"

#include <fcntl.h>
#include <mqueue.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/epoll.h>

struct bare_mq {
	const struct bare_job *job;
	pid_t owner; /* of the names */
	bool block, bells, herd;
	mqd_t requests;
	mqd_t replies[BARE_CLIENTS_MAX];
	int pipes[BARE_CLIENTS_MAX][2];
	int bell[2];
	int ep; /* of a server */
};

/* Queue 0 takes requests, 1 + i the replies of client i. */
static const char *queue_name(const struct bare_mq *b, long i)
{
	static char name[64];

	snprintf(name, sizeof(name), "/owbase%d,%ld", (int)b->owner, i);
	return name;
}

static void make_pipes(struct bare_mq *b)
{
	long i;

	for (i = 0; i < b->job->clients; i++)
		if (pipe2(b->pipes[i], O_CLOEXEC) < 0)
			ow_bare_die("pipe");
}

static void *make(const struct bare_job *j)
{
	struct mq_attr shape = { .mq_maxmsg = 10, .mq_msgsize = BARE_SIZE_MAX };
	struct bare_mq *b = calloc(1, sizeof(*b));
	mqd_t q;
	long i;

	if (b == NULL || pipe2(b->bell, O_NONBLOCK | O_CLOEXEC) < 0)
		ow_bare_die("make");
	b->job = j;
	b->owner = getpid();
	b->block = strcmp(j->mode, "block") == 0;
	b->bells = strcmp(j->mode, "bell") == 0;
	b->herd = strcmp(j->mode, "herd") == 0;
	if (j->pipes)
		make_pipes(b);
	for (i = 0; i <= (j->pipes ? 0 : j->clients); i++) {
		q = mq_open(queue_name(b, i), O_CREAT | O_EXCL | O_RDWR, 0600,
			    &shape);
		if (q == (mqd_t)-1)
			ow_bare_die("queue");
		mq_close(q);
	}
	return b;
}

static void open_queues(struct bare_mq *b, int flags)
{
	long i;

	b->requests = mq_open(queue_name(b, 0), O_RDWR | flags);
	if (b->requests == (mqd_t)-1)
		ow_bare_die("open request queue");
	for (i = 0; !b->job->pipes && i < b->job->clients; i++) {
		b->replies[i] = mq_open(queue_name(b, i + 1), O_RDWR);
		if (b->replies[i] == (mqd_t)-1)
			ow_bare_die("open reply queue");
	}
}

static void open_server(void *bare, long id)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct bare_mq *b = bare;

	open_queues(b, b->block ? 0 : O_NONBLOCK);
	if (b->block)
		return;
	if (!b->herd)
		ev.events |= EPOLLEXCLUSIVE;
	b->ep = epoll_create1(EPOLL_CLOEXEC);
	if (b->ep < 0 || epoll_ctl(b->ep, EPOLL_CTL_ADD,
				   b->bells ? b->bell[0] : b->requests,
				   &ev) < 0)
		ow_bare_die("epoll");
}

static void open_parent(void *bare)
{
	open_queues(bare, 0);
}

/* After a wake-up: take a message if there is one. */
static bool is_called(const struct bare_mq *b)
{
	char c;

	return !b->bells || read(b->bell[0], &c, 1) == 1;
}

static bool reply(const struct bare_mq *b, const struct bare_message *m)
{
	size_t size = b->job->size;

	if (b->job->pipes)
		return write(b->pipes[m->client][1], m, size) == (ssize_t)size;
	return mq_send(b->replies[m->client], (const char *)m, size, 0) == 0;
}

static void serve(void *bare, long id)
{
	struct bare_mq *b = bare;
	struct epoll_event ev;
	struct bare_message m;

	if (!b->block && (epoll_wait(b->ep, &ev, 1, -1) < 1 || !is_called(b)))
		return;
	if (mq_receive(b->requests, (char *)&m, sizeof(m), NULL) < 0)
		return; /* another server took it */
	b->job->work(b->job, &m);
	if (m.client < 0 || m.client >= b->job->clients || !reply(b, &m))
		ow_bare_die("reply");
}

static void call(void *bare, struct bare_message *m)
{
	struct bare_mq *b = bare;
	struct timespec until;

	if (mq_send(b->requests, (char *)m, b->job->size, 0) < 0)
		ow_bare_die("send");
	if (b->bells && write(b->bell[1], "", 1) != 1)
		ow_bare_die("bell");
	if (b->job->pipes) {
		if (read(b->pipes[m->client][0], m, b->job->size) !=
		    (ssize_t)b->job->size)
			ow_bare_die("receive");
		return;
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	if (mq_timedreceive(b->replies[m->client], (char *)m, sizeof(*m), NULL,
			    &until) < 0)
		ow_bare_die("receive");
}

static void remove_names(void *bare)
{
	struct bare_mq *b = bare;
	long i;

	for (i = 0; i <= (b->job->pipes ? 0 : b->job->clients); i++)
		mq_unlink(queue_name(b, i));
}

const struct ow_bare ow_bare_mq = {
	.make = make,
	.open_server = open_server,
	.open_parent = open_parent,
	.serve = serve,
	.call = call,
	.remove = remove_names,
};
