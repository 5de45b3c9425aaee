/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waitset.c - what a server on posix waits for, in one epoll set
 *
 * Each server registers a service queue, or the FIFO beside it, EPOLLIN |
 * EPOLLEXCLUSIVE: the kernel wakes the first idle server, in the order of
 * registration. With wake mode "even" a woken server goes to the end of that
 * order. Kernels with EPOLLBALANCE do that; on other kernels the server
 * removes the FIFO from its set with each message and adds it again. Adding
 * checks for bytes that came meanwhile, so no wake-up is lost.
 *
 * The tick is a timer descriptor in the set: a time-out of epoll_wait() would
 * be armed and disarmed with every request.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "libatmi/base/balance.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/transport/posix/posix.h"

struct posix_waitset {
	struct ow_waitset base;
	int ep, tick_fd, kick_fd;
	uint32_t events; /* with which queues are registered */
	bool rotate;	 /* wake mode even, and no EPOLLBALANCE */
};

static struct posix_waitset *of(struct ow_waitset *w)
{
	return (struct posix_waitset *)w;
}

/* data: the tag, and in the upper half 1 + the FIFO to take a byte from. */
static int add(struct posix_waitset *w, int fd, uint32_t events, uint64_t data)
{
	struct epoll_event ev = { .events = events, .data.u64 = data };

	return epoll_ctl(w->ep, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

void ow_posix_waitset_close(struct ow_waitset *base)
{
	struct posix_waitset *w = of(base);

	if (w->ep >= 0)
		close(w->ep);
	if (w->tick_fd >= 0)
		close(w->tick_fd);
	if (w->kick_fd >= 0)
		close(w->kick_fd);
	free(w);
}

static int open_descriptors(struct posix_waitset *w)
{
	int r;

	w->ep = epoll_create1(EPOLL_CLOEXEC);
	w->tick_fd = timerfd_create(CLOCK_MONOTONIC,
				    TFD_NONBLOCK | TFD_CLOEXEC);
	w->kick_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (w->ep < 0 || w->tick_fd < 0 || w->kick_fd < 0)
		return -errno;
	r = add(w, w->tick_fd, EPOLLIN, OW_WAITSET_TICK);
	return r == 0 ? add(w, w->kick_fd, EPOLLIN, OW_WAITSET_KICK) : r;
}

int ow_posix_waitset_open(struct ow_domain *d, uint32_t srvid,
			  struct ow_waitset **ret)
{
	struct posix_waitset *w = malloc(sizeof(*w));
	int r;

	(void)srvid;
	if (w == NULL)
		return -ENOMEM;
	*w = (struct posix_waitset){ .base.transport = &ow_transport_posix,
				     .events = EPOLLIN,
				     .ep = -1, .tick_fd = -1, .kick_fd = -1 };
	if (d->wake != OW_WAKE_HERD)
		w->events |= EPOLLEXCLUSIVE;
	if (d->wake == OW_WAKE_EVEN)
		w->events |= EPOLLBALANCE;
	r = open_descriptors(w);
	if (r < 0)
		ow_posix_waitset_close(&w->base);
	else
		*ret = &w->base;
	return r;
}

int ow_posix_add_queue(struct ow_waitset *base, struct ow_queue *queue,
		       uint32_t tag)
{
	struct posix_waitset *w = of(base);
	struct posix_queue *q = posix_of(queue);
	int fd = q->fifo < 0 ? q->mq : q->fifo, r;
	uint64_t data = tag;

	if (q->fifo >= 0)
		data |= (uint64_t)(q->fifo + 1) << 32;
	r = add(w, fd, w->events, data);
	if (r == -EINVAL && (w->events & EPOLLBALANCE) != 0) {
		w->events &= ~EPOLLBALANCE;
		w->rotate = true;
		r = add(w, fd, w->events, data);
	}
	return r;
}

/* Move this server to the end of the kernel's list. */
static int move_to_end(struct posix_waitset *w, uint64_t data)
{
	int fd = (int)(data >> 32) - 1;

	if (epoll_ctl(w->ep, EPOLL_CTL_DEL, fd, NULL) < 0)
		return -errno;
	return add(w, fd, w->events, data);
}

int ow_posix_del_fd(struct ow_waitset *w, int fd)
{
	return epoll_ctl(of(w)->ep, EPOLL_CTL_DEL, fd, NULL) < 0 ? -errno : 0;
}

int ow_posix_del_queue(struct ow_waitset *w, struct ow_queue *base)
{
	struct posix_queue *q = posix_of(base);

	return ow_posix_del_fd(w, q->fifo < 0 ? q->mq : q->fifo);
}

int ow_posix_add_fd(struct ow_waitset *w, int fd, uint32_t events,
		    uint32_t tag, enum ow_waitset_fd how)
{
	(void)how;
	return add(of(w), fd, events != 0 ? events : EPOLLIN, tag);
}

int ow_posix_tick(struct ow_waitset *w, uint64_t period_ns)
{
	struct itimerspec its = {
		.it_interval = { .tv_sec = (time_t)(period_ns / OW_NS_PER_SEC),
				 .tv_nsec = (long)(period_ns % OW_NS_PER_SEC) },
	};

	its.it_value = its.it_interval;
	return timerfd_settime(of(w)->tick_fd, 0, &its, NULL) < 0 ? -errno : 0;
}

void ow_posix_kick(struct ow_waitset *w)
{
	uint64_t one = 1;
	int e = errno;

	if (write(of(w)->kick_fd, &one, sizeof(one)) < 0)
		errno = e; /* full: it was kicked already */
}

/* Is the event still there? Another server may have taken the byte. */
static bool accept_event(struct posix_waitset *w, const struct epoll_event *ev)
{
	int fifo = (int)(ev->data.u64 >> 32) - 1;
	uint64_t n;

	if (fifo >= 0)
		return ow_fifo_take(fifo) == 0;
	if (ev->data.u64 == OW_WAITSET_TICK)
		return read(w->tick_fd, &n, sizeof(n)) > 0;
	if (ev->data.u64 == OW_WAITSET_KICK)
		return read(w->kick_fd, &n, sizeof(n)) > 0;
	return true;
}

int ow_posix_wait(struct ow_waitset *w, bool wait, uint32_t *ret_tag,
		  uint32_t *ret_events)
{
	struct epoll_event ev;
	int n;

	for (;;) {
		n = epoll_wait(of(w)->ep, &ev, 1, wait ? -1 : 0);
		if (n == 0)
			return OW_QUEUE_TIMEOUT;
		if (n < 0)
			return errno == EINTR ? OW_QUEUE_SIGNAL : -errno;
		if (!accept_event(of(w), &ev))
			continue;
		if (of(w)->rotate && ev.data.u64 >> 32 != 0) {
			n = move_to_end(of(w), ev.data.u64);
			if (n < 0)
				return n;
		}
		*ret_tag = (uint32_t)ev.data.u64;
		if (ret_events != NULL)
			*ret_events = ev.events;
		return 0;
	}
}
