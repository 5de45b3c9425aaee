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
 * Before it sleeps in epoll_wait() a server may look for a request for some
 * microseconds (announce.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "libatmi/base/balance.h"
#include "libatmi/base/fault.h"
#include "libatmi/transport/looking.h"
#include "libatmi/transport/posix/announce.h"
#include "libatmi/transport/posix/bell.h"
#include "libatmi/transport/posix/doze.h"
#include "libatmi/transport/posix/fifo.h"
#include "libatmi/transport/posix/posix.h"
#include "libatmi/transport/posix/standby.h"

#define LOOK_SERVICES 4 /* a server with more does not look */

struct member {
	struct posix_queue *q;
	uint32_t tag;
	bool due; /* a sender has told this server of a message */
};

struct posix_waitset {
	struct ow_waitset base;
	uint32_t srvid;
	struct ow_srv *srv;
	bool watches; /* descriptors that the program polls */
	int ep, tick_fd, kick_fd;
	uint32_t events; /* with which queues are registered */
	bool rotate;	 /* wake mode even, and no EPOLLBALANCE */
	struct member *members;
	uint32_t n;
	uint32_t due;	/* members that are */
	uint64_t word;	/* the announcement of this look */
	struct ow_looker looker;
	struct posix_standby standby;
	struct ow_dozer dozer;
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
	struct member *m = realloc(w->members, (w->n + 1) * sizeof(*m));

	if (m == NULL)
		return -ENOMEM;
	w->members = m;
	m[w->n++] = (struct member){ .q = q, .tag = tag };
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

int ow_posix_del_fd(struct ow_waitset *w, int fd)
{
	return epoll_ctl(of(w)->ep, EPOLL_CTL_DEL, fd, NULL) < 0 ? -errno : 0;
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
	return ow_posix_del_fd(base, q->fifo < 0 ? q->mq : q->fifo);
}

int ow_posix_add_fd(struct ow_waitset *w, int fd, uint32_t events,
		    uint32_t tag, enum ow_waitset_fd how)
{
	of(w)->watches |= how == OW_FD_WATCHED;
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

/* ---- looks (announce.h) ---- */

/* A sender has told this server of a message, whose byte it did not write. */
static void note_due(struct posix_waitset *w, struct member *m)
{
	if (!m->due)
		w->due++;
	m->due = true;
}

static void withdraw(struct posix_waitset *w, uint32_t n)
{
	while (n > 0)
		if (!ow_announce_withdraw(w->members[--n].q->svc, w->word))
			note_due(w, &w->members[n]);
}

/* Announce this server in its services. False: it cannot look, it has none, or
 * too many, or another server looks for one of them. */
static bool announce(struct posix_waitset *w)
{
	uint64_t now = w->looker.from_ns;
	uint32_t i;

	if (w->n == 0 || w->n > LOOK_SERVICES)
		return false;
	w->word = ow_announcement(w->srvid,
				  now + 2 * w->members->q->waking->look_max_ns);
	for (i = 0; i < w->n; i++) {
		struct ow_svc *s = w->members[i].q->svc;

		if (s == NULL || !ow_announce(s, w->word, now)) {
			withdraw(w, i);
			return false;
		}
		OW_FAULT("posix.announced");
	}
	return true;
}

static bool is_told(void *arg)
{
	const struct posix_waitset *w = arg;
	uint32_t i;

	for (i = 0; i < w->n; i++)
		if (ow_announce_is_taken(w->members[i].q->svc, w->word))
			return true;
	return false;
}

/* Look before sleeping: 1, an event is in *ev; 0, members may be due. */
static int look_first(struct posix_waitset *w, struct epoll_event *ev)
{
	int n;

	if (!ow_looker_begin(&w->looker) || !announce(w))
		return 0;
	/* What came before the announcement. */
	n = epoll_wait(w->ep, ev, 1, 0);
	if (n <= 0)
		ow_looker_look(&w->looker, is_told, w);
	OW_FAULT("posix.looked");
	withdraw(w, w->n);
	return n > 0;
}

/* The tag of a member that is due. Messages of others would wait until this one
 * is served: servers are woken for them. */
static uint32_t take_due(struct posix_waitset *w)
{
	struct member *m;
	uint32_t i, tag;

	for (i = 0; !w->members[i].due; i++)
		;
	tag = w->members[i].tag;
	w->standby.run = w->members[i].q;
	w->standby.run_tag = tag;
	for (; w->due > 0; i++) {
		m = &w->members[i];
		if (!m->due)
			continue;
		m->due = false;
		w->due--;
		if (m->tag != tag)
			ow_bell_ring(m->q, ow_clock_mono_ns(), 0);
	}
	return tag;
}

/* ---- dozes (doze.h) ---- */

/* Take a place in each service: in how many there was one. */
static uint32_t enter(struct posix_waitset *w, uint64_t now)
{
	uint32_t i;

	/* Who is woken late by the kernel is still in its place. */
	w->word = ow_announcement(w->srvid,
				  now + 2 * w->members->q->waking->doze_ns);
	atomic_store(&w->srv->wake_word, OW_DOZE_ASLEEP);
	for (i = 0; i < w->n; i++) {
		if (!ow_doze_enter(w->members[i].q->svc, w->word, now))
			break;
		OW_FAULT("posix.dozes");
	}
	atomic_thread_fence(memory_order_seq_cst); /* doze.h */
	return i;
}

/* Leave the places, of the first `n` services. A service for which a sender has
 * taken this server out; for others of them, servers are woken. NULL: none. */
static struct member *leave(struct posix_waitset *w, uint32_t n)
{
	struct member *m = NULL;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (ow_doze_leave(w->members[i].q->svc, w->word))
			continue;
		if (m != NULL)
			ow_bell_nudge(m->q);
		m = &w->members[i];
	}
	ow_store_relaxed(&w->srv->wake_word, OW_DOZE_AWAKE);
	return m;
}

static bool may_doze(struct posix_waitset *w)
{
	uint32_t i;

	if (w->n == 0 || w->n > LOOK_SERVICES || w->watches ||
	    w->members->q->waking->doze_ns == 0)
		return false;
	for (i = 0; i < w->n; i++)
		if (w->members[i].q->svc == NULL ||
		    ow_svc_servers(w->members[i].q->svc) <
			    w->members->q->waking->doze_servers)
			return false;
	return ow_doze_pays(&w->dozer);
}

/* Sleep for doze_ns: as epoll_wait(). *ret: the member for which the server was
 * woken, else NULL. */
static int doze(struct posix_waitset *w, struct epoll_event *ev,
		struct member **ret)
{
	uint64_t now = ow_clock_mono_ns();
	uint32_t entered = enter(w, now);
	int n = 0, r = 0;

	if (entered == w->n) {
		/* What came before. */
		n = epoll_wait(w->ep, ev, 1, 0);
		if (n == 0)
			r = ow_doze_sleep(w->srv,
					  now + w->members->q->waking->doze_ns);
	}
	*ret = leave(w, entered);
	if (entered == w->n)
		ow_doze_learn(&w->dozer, *ret != NULL || n > 0);
	/* An event in `ev` is reported again. */
	if (r != -EINTR || *ret != NULL)
		return n;
	errno = EINTR;
	return -1;
}

/* The same, where the server may doze. True: it is to receive from *ret_tag. */
static bool is_woken_in_doze(struct posix_waitset *w, struct epoll_event *ev,
			     int *ret_n, uint32_t *ret_tag)
{
	struct member *m = NULL;

	if (!may_doze(w))
		return false;
	*ret_n = doze(w, ev, &m);
	if (m != NULL || *ret_n != 0)
		ow_looker_end(&w->looker);
	if (m == NULL || !ow_posix_woken(&w->standby, m->q, m->tag))
		return false;
	*ret_tag = m->tag;
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
			    ? look_first(w, &ev) : 0;
		if (w->due > 0) {
			/* An event in `ev` is reported again. */
			*ret_tag = take_due(w);
			return 0;
		}
		if (n == 0 && wait && !goes_on && w->standby.by == NULL &&
		    is_woken_in_doze(w, &ev, &n, ret_tag))
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
