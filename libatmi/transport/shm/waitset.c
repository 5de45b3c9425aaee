/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waitset.c - a server waits on its bell, and hears of descriptors
 *
 * While there is work the kernel is not entered: queues are looked at in
 * turn, and `attention` of the slot says when descriptors are to be looked at
 * (one epoll_wait without waiting). Asleep, a server waits on its bell alone:
 *
 *	RUNG descriptors	who writes to the other end (ndrxd) sets `attention`
 *			and rings; besides, each tick looks (an end of file
 *			comes without ringing)
 *	WATCHED ones	a thread of the server's own waits for them in epoll
 *			and does the same. It exists only if there are any
 *	ticks		the time-out of the sleep
 *	kicks		`attention`, and the bell
 *
 * shmq.h tells how bell and queues work together.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/futex.h"
#include "libatmi/transport/shm/shm.h"
#include "libatmi/domain/tables.h"

#define CLOCK_EVERY 32 /* rounds of work between two looks at the clock */

/* Bits of ow_srv.attention. */
enum { LOOK_AT_FDS = 1, KICKED = 2 };

struct member {
	struct shm_queue *q;
	uint32_t tag;
};

/* Waits for descriptors, tells the server, waits until it has looked. */
struct watcher {
	pthread_t thread;
	bool runs;
	int ep; /* holds the wait set's own epoll descriptor, and */
	int quit_fd; /* an eventfd that ends the thread */
	_Atomic bool quit;
	_Atomic uint32_t seen; /* futex: counts the server's looks */
};

struct shm_waitset {
	struct ow_waitset base;
	struct ow_domain *dom;
	struct ow_srv *srv;
	uint32_t srvid;
	struct member *members;
	uint32_t n, next; /* where to look first: queues take turns */
	int ep;		  /* all descriptors */
	uint64_t period_ns, tick_ns; /* 0: none; when the next one is due */
	uint32_t rounds;
	bool woken; /* for some queue, which may not have been looked at */
	bool looks; /* its sleep is over, but not for work: see shmq.h */
	struct watcher watch;
};

static struct shm_waitset *of(struct ow_waitset *w)
{
	return (struct shm_waitset *)w;
}

/* ---- bells ---- */

static void alert(struct ow_srv *s, uint32_t why)
{
	uint32_t idle = OW_WORD_IDLE;

	atomic_fetch_or(&s->attention, why);
	OW_FAULT("alert.attention");
	if (atomic_compare_exchange_strong(&s->wake_word, &idle, OW_WORD_KICKED))
		ow_futex_wake(&s->wake_word, 1);
}

void ow_shm_alert(struct ow_domain *d, uint32_t srvid)
{
	if (srvid > 0 && srvid < atomic_load(&d->tables->head->srv_high))
		alert(&d->tables->srv[srvid], LOOK_AT_FDS);
}

void ow_shm_kick(struct ow_waitset *w)
{
	int e = errno;

	alert(of(w)->srv, KICKED);
	errno = e;
}

/* ---- descriptors that nobody rings for ---- */

static void *watch(void *arg)
{
	struct shm_waitset *w = arg;
	struct epoll_event ev;
	uint32_t seen;

	while (!atomic_load(&w->watch.quit)) {
		seen = atomic_load(&w->watch.seen);
		if (epoll_wait(w->watch.ep, &ev, 1, -1) <= 0)
			continue;
		alert(w->srv, LOOK_AT_FDS);
		while (atomic_load(&w->watch.seen) == seen &&
		       !atomic_load(&w->watch.quit))
			ow_futex_wait(&w->watch.seen, seen,
				      ow_clock_mono_ns() + OW_NS_PER_SEC);
	}
	return NULL;
}

static void close_fds(struct watcher *a)
{
	if (a->quit_fd >= 0)
		close(a->quit_fd);
	if (a->ep >= 0)
		close(a->ep);
	a->quit_fd = a->ep = -1;
}

static int open_fds(struct watcher *a, int ep)
{
	struct epoll_event ev = { .events = EPOLLIN };

	a->ep = epoll_create1(EPOLL_CLOEXEC);
	if (a->ep < 0)
		return -errno;
	a->quit_fd = eventfd(0, EFD_CLOEXEC);
	if (a->quit_fd < 0 || epoll_ctl(a->ep, EPOLL_CTL_ADD, ep, &ev) < 0 ||
	    epoll_ctl(a->ep, EPOLL_CTL_ADD, a->quit_fd, &ev) < 0)
		return -errno;
	return 0;
}

/* Nothing is kept of one that could not be started: the next descriptor of
 * the program tries again. */
static int start_watcher(struct shm_waitset *w)
{
	sigset_t all, old;
	int r;

	if (w->watch.runs)
		return 0;
	r = open_fds(&w->watch, w->ep);
	if (r == 0) {
		sigfillset(&all); /* signals are the program's threads' */
		pthread_sigmask(SIG_SETMASK, &all, &old);
		r = -pthread_create(&w->watch.thread, NULL, watch, w);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	w->watch.runs = r == 0;
	if (r != 0)
		close_fds(&w->watch);
	return r;
}

/* The server has looked: the watcher may wait again. */
static void say_seen(struct shm_waitset *w)
{
	if (!w->watch.runs)
		return;
	atomic_fetch_add(&w->watch.seen, 1);
	ow_futex_wake(&w->watch.seen, 1);
}

static void stop_watcher(struct shm_waitset *w)
{
	if (w->watch.runs) {
		atomic_store(&w->watch.quit, true);
		eventfd_write(w->watch.quit_fd, 1);
		say_seen(w);
		pthread_join(w->watch.thread, NULL);
	}
	close_fds(&w->watch);
}

int ow_shm_add_fd(struct ow_waitset *base, int fd, uint32_t events,
		      uint32_t tag, enum ow_waitset_fd how)
{
	struct shm_waitset *w = of(base);
	struct epoll_event ev = { .events = events != 0 ? events : EPOLLIN,
				  .data.u64 = tag };
	int r;

	if (epoll_ctl(w->ep, EPOLL_CTL_ADD, fd, &ev) < 0)
		return -errno;
	/* It may be ready already. */
	atomic_fetch_or(&w->srv->attention, LOOK_AT_FDS);
	r = how == OW_FD_WATCHED ? start_watcher(w) : 0;
	if (r < 0) /* nobody would wait for it */
		epoll_ctl(w->ep, EPOLL_CTL_DEL, fd, NULL);
	return r;
}

int ow_shm_del_fd(struct ow_waitset *w, int fd)
{
	return epoll_ctl(of(w)->ep, EPOLL_CTL_DEL, fd, NULL) < 0 ? -errno : 0;
}

/* ---- open and close ---- */

void ow_shm_waitset_close(struct ow_waitset *base)
{
	struct shm_waitset *w = of(base);

	stop_watcher(w);
	if (w->ep >= 0)
		close(w->ep);
	free(w->members);
	free(w);
}

int ow_shm_waitset_open(struct ow_domain *d, uint32_t srvid,
			struct ow_waitset **ret)
{
	struct shm_waitset *w = calloc(1, sizeof(*w));
	int e;

	if (w == NULL)
		return -ENOMEM;
	w->base.transport = &ow_transport_shm;
	w->dom = d;
	w->srvid = srvid;
	w->srv = &d->tables->srv[srvid];
	w->watch.ep = w->watch.quit_fd = -1;
	w->ep = epoll_create1(EPOLL_CLOEXEC);
	if (w->ep < 0) {
		e = -errno;
		free(w);
		return e;
	}
	/* Whatever was wanted of a predecessor. */
	atomic_store(&w->srv->attention, 0);
	atomic_store(&w->srv->wake_word, OW_WORD_AWAKE);
	*ret = &w->base;
	return 0;
}

int ow_shm_add_queue(struct ow_waitset *base, struct ow_queue *q,
			 uint32_t tag)
{
	struct shm_waitset *w = of(base);
	struct member *m;
	int r;

	m = realloc(w->members, (w->n + 1) * sizeof(*m));
	if (m == NULL)
		return -ENOMEM;
	w->members = m;
	r = ow_shmq_join(shm_of(q)->shmq, w->srvid, tag, &shm_of(q)->rank);
	if (r != 0)
		return r == OW_SHMQ_NOSPACE ? -ENOSPC : r;
	m[w->n++] = (struct member){ .q = shm_of(q), .tag = tag };
	return 0;
}

int ow_shm_del_queue(struct ow_waitset *base, struct ow_queue *q)
{
	struct shm_waitset *w = of(base);
	uint32_t i;

	for (i = 0; i < w->n; i++)
		if (w->members[i].q == shm_of(q)) {
			memmove(&w->members[i], &w->members[i + 1],
				(w->n - i - 1) * sizeof(w->members[0]));
			w->n--;
			w->next = 0;
			ow_shmq_leave(shm_of(q)->shmq, w->srvid);
			return 0;
		}
	return -ENOENT;
}

int ow_shm_tick(struct ow_waitset *base, uint64_t period_ns)
{
	struct shm_waitset *w = of(base);

	w->period_ns = period_ns;
	/* The housekeeping of many comes at any time, a retry in time. */
	if (period_ns >= OW_NS_PER_SEC)
		period_ns = ow_clock_spread(w->srvid, period_ns);
	w->tick_ns = period_ns != 0 ? ow_clock_mono_ns() + period_ns : 0;
	return 0;
}

/* ---- waiting ---- */

/* A queue that has something: true with its tag. */
static bool find_work(struct shm_waitset *w, uint32_t *ret_tag)
{
	uint32_t i, at = w->next;

	for (i = 0; i < w->n; i++, at++) {
		if (at >= w->n)
			at = 0;
		if (!ow_shmq_waits(w->members[at].q->shmq))
			continue;
		w->next = at + 1 < w->n ? at + 1 : 0;
		*ret_tag = w->members[at].tag;
		return true;
	}
	return false;
}

static bool find_descriptor(struct shm_waitset *w, uint32_t *ret_tag,
			    uint32_t *ret_events)
{
	struct epoll_event ev;
	int n = epoll_wait(w->ep, &ev, 1, 0);

	if (n <= 0) {
		say_seen(w);
		return false;
	}
	/* There may be more: look again the next time. */
	atomic_fetch_or(&w->srv->attention, LOOK_AT_FDS);
	*ret_tag = (uint32_t)ev.data.u64;
	if (ret_events != NULL)
		*ret_events = ev.events;
	return true;
}

static bool is_tick_due(struct shm_waitset *w)
{
	uint64_t now;

	if (w->tick_ns == 0)
		return false;
	now = ow_clock_mono_ns();
	if (now < w->tick_ns)
		return false;
	w->tick_ns = now + w->period_ns;
	return true;
}

/* Everything but queues. */
static bool find_news(struct shm_waitset *w, uint32_t *ret_tag,
		      uint32_t *ret_events)
{
	_Atomic uint32_t *att = &w->srv->attention;
	uint32_t why = atomic_load_explicit(att, memory_order_relaxed);

	if (why == 0)
		return false;
	why = atomic_exchange(att, 0);
	if ((why & KICKED) != 0) {
		atomic_fetch_or(att, why & ~(uint32_t)KICKED);
		*ret_tag = OW_WAITSET_KICK;
		return true;
	}
	return find_descriptor(w, ret_tag, ret_events);
}

static bool tick(struct shm_waitset *w, uint32_t *ret_tag)
{
	uint32_t i;

	if (!is_tick_due(w))
		return false;
	/* Ends of file come without ringing; messages may be hidden. */
	atomic_fetch_or(&w->srv->attention, LOOK_AT_FDS);
	for (i = 0; i < w->n; i++)
		ow_shmq_repair(w->members[i].q->shmq);
	*ret_tag = OW_WAITSET_TICK;
	return true;
}

/* The bell is no longer IDLE: who made it so, and what for? */
static void wake_up(struct shm_waitset *w)
{
	uint32_t why = atomic_exchange(&w->srv->wake_word, OW_WORD_AWAKE), i;

	if (why < OW_WORD_WOKEN || why >= OW_WORD_KICKED)
		return;
	w->looks = false;
	for (i = 0; i < w->n; i++)
		if (w->members[i].tag == why - OW_WORD_WOKEN) {
			ow_shm_woken(w->members[i].q);
			w->woken = true;
			w->next = i; /* there first */
		}
}

/* Woken for a queue that will not be looked at now (others were quicker, or
 * something else comes first): nobody must wait for us there. */
static void settle(struct shm_waitset *w, uint32_t tag)
{
	uint32_t i;

	if (!w->woken)
		return;
	w->woken = false;
	for (i = 0; i < w->n; i++) {
		if (w->members[i].tag != tag)
			ow_shm_arrived(w->members[i].q);
	}
}

/* The last look before it sleeps. True: it has work. */
static bool look_once_more(struct shm_waitset *w)
{
	uint32_t i, tag;

	if (!w->looks)
		return find_work(w, &tag);
	for (i = 0; i < w->n; i++)
		if (ow_shmq_waits(w->members[i].q->shmq))
			ow_shmq_notify(w->members[i].q->shmq, 0);
	return false;
}

/* Go to sleep, unless there is something after all: SIGNAL or 0. */
static int sleep_until_woken(struct shm_waitset *w)
{
	uint64_t until = w->tick_ns != 0 ? w->tick_ns
					 : ow_clock_mono_ns() + OW_NS_PER_SEC;
	uint32_t i;
	int r = 0;

	atomic_store(&w->srv->wake_word, OW_WORD_IDLE);
	OW_FAULT("idle.bell");
	for (i = 0; i < w->n; i++)
		ow_shmq_say_idle(w->members[i].q->shmq,
				 w->members[i].q->rank, !w->looks);
	OW_FAULT("idle.bits");
	atomic_thread_fence(memory_order_seq_cst);
	if (!look_once_more(w) && atomic_load(&w->srv->attention) == 0) {
		r = ow_futex_wait(&w->srv->wake_word, OW_WORD_IDLE, until);
		w->looks = true;
	}
	OW_FAULT("idle.over");
	if (r == -ETIMEDOUT)
		w->rounds = 0; /* now the clock is worth a look */
	wake_up(w);
	return r == -EINTR ? OW_QUEUE_SIGNAL : 0;
}

/* What there is to do now, without sleeping. */
static bool find(struct shm_waitset *w, uint32_t *ret_tag,
		 uint32_t *ret_events)
{
	if ((w->rounds++ % CLOCK_EVERY == 0 && tick(w, ret_tag)) ||
	    find_news(w, ret_tag, ret_events) ||
	    (!w->looks && find_work(w, ret_tag))) {
		settle(w, *ret_tag);
		return true;
	}
	settle(w, OW_WAITSET_TICK);
	return false;
}

int ow_shm_wait(struct ow_waitset *base, bool wait, uint32_t *ret_tag,
		    uint32_t *ret_events)
{
	struct shm_waitset *w = of(base);
	int r;

	if (!wait)
		w->looks = false; /* it has found work elsewhere */
	while (!find(w, ret_tag, ret_events)) {
		if (!wait)
			return OW_QUEUE_TIMEOUT;
		r = sleep_until_woken(w);
		if (r != 0)
			return r;
	}
	return 0;
}
