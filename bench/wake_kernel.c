/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake_kernel.c - epoll on a pipe, epoll on a POSIX queue
 */
#include "bench/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/epoll.h>

#define EVENT_SIZE sizeof(uint64_t)

struct kernel {
	int in, out; /* where events are taken from, and put */
	int ep;	     /* of a waiter */
	bool herd, balanced;
};

static void set_way(struct kernel *k, const char *way)
{
	k->herd = strcmp(way, "herd") == 0;
	k->balanced = strcmp(way, "balanced") == 0;
	if (!k->herd && !k->balanced && strcmp(way, "exclusive") != 0) {
		errno = EINVAL;
		ow_wake_die(way);
	}
}

static void *make_pipe(const struct ow_wake_job *j)
{
	struct kernel *k = calloc(1, sizeof(*k));
	int fd[2];

	if (k == NULL || pipe2(fd, O_CLOEXEC) < 0 ||
	    fcntl(fd[0], F_SETFL, O_NONBLOCK) < 0)
		ow_wake_die("pipe");
	set_way(k, j->way);
	k->in = fd[0];
	k->out = fd[1];
	return k;
}

static void *make_mqueue(const struct ow_wake_job *j)
{
	struct mq_attr shape = { .mq_maxmsg = 10, .mq_msgsize = EVENT_SIZE };
	struct kernel *k = calloc(1, sizeof(*k));
	char name[64];

	if (k == NULL)
		ow_wake_die("memory");
	set_way(k, j->way);
	snprintf(name, sizeof(name), "/owwake%d", (int)getpid());
	k->out = mq_open(name, O_WRONLY | O_CREAT | O_EXCL, 0600, &shape);
	if (k->out < 0)
		ow_wake_die("queue");
	k->in = mq_open(name, O_RDONLY | O_NONBLOCK);
	mq_unlink(name);
	if (k->in < 0)
		ow_wake_die("queue");
	return k;
}

static void add(const struct kernel *k)
{
	struct epoll_event ev = { .events = EPOLLIN };

	if (!k->herd)
		ev.events |= EPOLLEXCLUSIVE;
	if (epoll_ctl(k->ep, EPOLL_CTL_ADD, k->in, &ev) < 0)
		ow_wake_die("epoll");
}

static void open_waiter(void *source, long id)
{
	struct kernel *k = source;

	k->ep = epoll_create1(EPOLL_CLOEXEC);
	if (k->ep < 0)
		ow_wake_die("epoll");
	add(k);
}

/* To the end of the kernel's list of waiters. */
static void queue_up_again(const struct kernel *k)
{
	if (epoll_ctl(k->ep, EPOLL_CTL_DEL, k->in, NULL) < 0)
		ow_wake_die("epoll");
	add(k);
}

static bool wait_ready(const struct kernel *k)
{
	struct epoll_event ev;

	return epoll_wait(k->ep, &ev, 1, -1) == 1;
}

static int wait_pipe(void *source, uint64_t *ret_sent)
{
	struct kernel *k = source;

	if (!wait_ready(k) ||
	    read(k->in, ret_sent, EVENT_SIZE) != (ssize_t)EVENT_SIZE)
		return 1;
	if (k->balanced)
		queue_up_again(k);
	return 0;
}

static int wait_mqueue(void *source, uint64_t *ret_sent)
{
	struct kernel *k = source;

	if (!wait_ready(k) ||
	    mq_receive(k->in, (char *)ret_sent, EVENT_SIZE, NULL) < 0)
		return 1;
	if (k->balanced)
		queue_up_again(k);
	return 0;
}

static void send_pipe(void *source, uint64_t now)
{
	struct kernel *k = source;

	if (write(k->out, &now, EVENT_SIZE) != (ssize_t)EVENT_SIZE)
		ow_wake_die("write");
}

static void send_mqueue(void *source, uint64_t now)
{
	struct kernel *k = source;

	if (mq_send(k->out, (const char *)&now, EVENT_SIZE, 0) < 0)
		ow_wake_die("send");
}

/* Descriptors end with the process. */
static void close_kernel(void *source)
{
	free(source);
}

const struct ow_wake_source ow_wake_pipe = {
	.name = "pipe",
	.make = make_pipe,
	.open_waiter = open_waiter,
	.wait = wait_pipe,
	.send = send_pipe,
	.close = close_kernel,
};

const struct ow_wake_source ow_wake_mqueue = {
	.name = "mqueue",
	.make = make_mqueue,
	.open_waiter = open_waiter,
	.wait = wait_mqueue,
	.send = send_mqueue,
	.close = close_kernel,
};
