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
 *
 * Before it sleeps in epoll_wait() a server may look for a request, or doze
 * (idle.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "libatmi/base/balance.h"
#include "libatmi/transport/posix/bell.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/transport/posix/posix.h"
#include "libatmi/transport/posix/waitset.h"

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
	free(w->members);
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

	if (w == NULL)
		return -ENOMEM;
	*w = (struct posix_waitset){ .base.transport = &ow_transport_posix,
				     .srvid = srvid,
				     .srv = &d->tables->srv[srvid],
				     .events = EPOLLIN,
				     .ep = -1, .tick_fd = -1, .kick_fd = -1 };
	ow_looker_init(&w->looker, d, OW_LOOK_SERVER);
	ow_standby_init(&w->standby.measured, d);
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

static int add_member(struct posix_waitset *w, struct posix_queue *q,
		      uint32_t tag)
{
	struct posix_member *m = realloc(w->members, (w->n + 1) * sizeof(*m));

	if (m == NULL)
		return -ENOMEM;
	w->members = m;
	m[w->n++] = (struct posix_member){ .q = q, .tag = tag };
	q->standby = &w->standby.measured;
	return 0;
}

static int register_queue(struct posix_waitset *w, struct posix_queue *q,
			  uint32_t tag)
{
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

int ow_posix_add_queue(struct ow_waitset *base, struct ow_queue *queue,
		       uint32_t tag)
{
	struct posix_waitset *w = of(base);
	int r = add_member(w, posix_of(queue), tag);

	if (r != 0)
		return r;
	r = register_queue(w, posix_of(queue), tag);
	if (r != 0)
		w->n--;
	else
		ow_posix_nudge(queue); /* what waits since before */
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

static int take_out(struct posix_waitset *w, int fd)
{
	return epoll_ctl(w->ep, EPOLL_CTL_DEL, fd, NULL) < 0 ? -errno : 0;
}

int ow_posix_del_fd(struct ow_waitset *w, int fd, enum ow_waitset_fd how)
{
	of(w)->watched -= how == OW_FD_WATCHED && of(w)->watched > 0;
	return take_out(of(w), fd);
}

int ow_posix_del_queue(struct ow_waitset *base, struct ow_queue *queue)
{
	struct posix_waitset *w = of(base);
	struct posix_queue *q = posix_of(queue);
	uint32_t i;

	ow_posix_standby_drop(&w->standby, q);
	for (i = 0; i < w->n && w->members[i].q != q; i++)
		;
	if (i < w->n) {
		/* This server will not receive the message: wake another one. */
		if (w->members[i].due) {
			w->due--;
			if (q->svc != NULL)
				ow_bell_nudge(q);
			else
				ow_fifo_put(q->fifo);
		}
		memmove(&w->members[i], &w->members[i + 1],
			(w->n - i - 1) * sizeof(w->members[0]));
		w->n--;
	}
	return take_out(w, q->fifo < 0 ? q->mq : q->fifo);
}

int ow_posix_add_fd(struct ow_waitset *w, int fd, uint32_t events,
		    uint32_t tag, enum ow_waitset_fd how)
{
	int r = add(of(w), fd, events != 0 ? events : EPOLLIN, tag);

	of(w)->watched += r == 0 && how == OW_FD_WATCHED;
	return r;
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
	ow_doze_rouse(of(w)->srv);
	errno = e;
}

void ow_posix_alert(struct ow_domain *d, uint32_t srvid)
{
	if (srvid > 0 && srvid < atomic_load(&d->tables->head->srv_high))
		ow_doze_rouse(&d->tables->srv[srvid]);
}

/* A byte of the queue with this tag was taken. False: the server stands by. */
static bool answer(struct posix_waitset *w, uint32_t tag)
{
	uint32_t i;

	for (i = 0; i < w->n && w->members[i].tag != tag; i++)
		;
	return i == w->n ||
	       ow_posix_woken(&w->standby, w->members[i].q, tag);
}

/* Is the event still there? Another server may have taken the byte. */
static bool accept_event(struct posix_waitset *w, const struct epoll_event *ev)
{
	int fifo = (int)(ev->data.u64 >> 32) - 1;
	uint64_t n;

	if (fifo >= 0) {
		if (ow_fifo_take(fifo) != 0)
			return false;
		return answer(w, (uint32_t)ev->data.u64);
	}
	if (ev->data.u64 == OW_WAITSET_TICK)
		return read(w->tick_fd, &n, sizeof(n)) > 0;
	if (ev->data.u64 == OW_WAITSET_KICK)
		return read(w->kick_fd, &n, sizeof(n)) > 0;
	return true;
}

/* ---- waiting ---- */

/* Accept an event: 0, -EAGAIN (it is gone), -errno. */
static int take_event(struct posix_waitset *w, const struct epoll_event *ev,
		      uint32_t *ret_tag, uint32_t *ret_events)
{
	int r;

	if (!accept_event(w, ev))
		return -EAGAIN;
	if (w->rotate && ev->data.u64 >> 32 != 0) {
		r = move_to_end(w, ev->data.u64);
		if (r < 0)
			return r;
	}
	*ret_tag = (uint32_t)ev->data.u64;
	if (ret_events != NULL)
		*ret_events = ev->events;
	return 0;
}

/* Sleep, unless the server goes on (a run), or an event is there: as
 * epoll_wait(). *ret_due: when a standby is over. */
static int sleep_in_epoll(struct posix_waitset *w, bool wait, bool goes_on,
			  struct epoll_event *ev, uint64_t *ret_due)
{
	int n, most = 0;

	if (wait && !goes_on)
		most = ow_posix_standby_left(&w->standby, ret_due);
	n = epoll_wait(w->ep, ev, 1, most);
	if (wait)
		ow_looker_end(&w->looker);
	return n;
}

int ow_posix_wait(struct ow_waitset *base, bool wait, uint32_t *ret_tag,
		  uint32_t *ret_events)
{
	struct posix_waitset *w = of(base);
	struct epoll_event ev;
	uint64_t due = 0;
	bool goes_on;
	int n, r;

	do {
		goes_on = ow_posix_goes_on(&w->standby);
		n = wait && !goes_on && w->due == 0 && w->standby.by == NULL
			    ? ow_posix_look_first(w, &ev) : 0;
		if (w->due > 0) {
			/* An event in `ev` is reported again. */
			*ret_tag = ow_posix_take_due(w);
			return 0;
		}
		if (n == 0 && wait && !goes_on && w->standby.by == NULL &&
		    ow_posix_doze(w, &ev, &n, ret_tag))
			return 0;
		if (n == 0)
			n = sleep_in_epoll(w, wait, goes_on, &ev, &due);
		if (n == 0 && wait && !goes_on)
			goes_on = ow_posix_standby_over(&w->standby, due);
		if (n == 0 && goes_on) {
			*ret_tag = w->standby.run_tag;
			return 0;
		}
		if (n == 0 && !wait)
			return OW_QUEUE_TIMEOUT;
		if (n < 0)
			return errno == EINTR ? OW_QUEUE_SIGNAL : -errno;
		r = n == 0 ? -EAGAIN : take_event(w, &ev, ret_tag, ret_events);
	} while (r == -EAGAIN);
	return r;
}
