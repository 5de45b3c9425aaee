/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waitset.c - what a server on shm waits for: queues, descriptors, ticks
 *
 * While there is work the server does not enter the kernel: it checks its
 * queues in turn, and `attention` in its slot says when to check descriptors
 * (one epoll_wait() that does not block). Asleep, it waits on its wake word
 * only. It is woken for
 *
 *	queues			by the sender (shmq.h)
 *	ALERTED descriptors	by the process that writes to the other end
 *				(ndrxd): it sets `attention` and wakes the
 *				server. Each tick checks them too, because an
 *				end of file comes without an alert
 *	WATCHED descriptors	by a thread of this process (watcher.h), which
 *				exists only if there are any
 *	ticks			by the time-out of the sleep
 *	kicks			by `attention` and the wake word
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/futex.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/looking.h"
#include "libatmi/transport/shm/attention.h"
#include "libatmi/transport/shm/shm.h"
#include "libatmi/transport/shm/standby.h"
#include "libatmi/transport/shm/watcher.h"
#include "libatmi/waking/rounds.h"

struct member {
	struct shm_queue *q;
	uint32_t tag;
};

struct shm_waitset {
	struct ow_waitset base;
	struct ow_domain *dom;
	struct ow_srv *srv;
	uint32_t srvid;
	struct member *members;
	uint32_t n, next; /* queue to check first: queues take turns */
	int ep;		  /* all descriptors */
	uint64_t period_ns, tick_ns; /* 0: none; time of the next tick */
	uint32_t rounds; /* of work; 0: read the clock in the next one */
	bool woken;	/* for a queue that has perhaps not been polled yet */
	bool poll_only; /* not woken for a queue (timed out): take no message,
			   check the queues before sleeping again (shmq.h) */
	struct ow_looker looker;
	struct shm_standby standby;
	struct shm_watcher watcher;
};

static struct shm_waitset *of(struct ow_waitset *w)
{
	return (struct shm_waitset *)w;
}

/* ---- alerts and kicks ---- */

void ow_shm_alert(struct ow_domain *d, uint32_t srvid)
{
	if (srvid > 0 && srvid < atomic_load(&d->tables->head->srv_high))
		ow_attention_set(&d->tables->srv[srvid], OW_ATTENTION_FDS);
}

void ow_shm_kick(struct ow_waitset *w)
{
	int e = errno;

	ow_attention_set(of(w)->srv, OW_ATTENTION_KICK);
	errno = e;
}

/* ---- descriptors ---- */

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
	atomic_fetch_or(&w->srv->attention, OW_ATTENTION_FDS);
	r = how == OW_FD_WATCHED ? ow_watcher_start(&w->watcher, w->ep) : 0;
	if (r < 0)
		epoll_ctl(w->ep, EPOLL_CTL_DEL, fd, NULL);
	return r;
}

int ow_shm_del_fd(struct ow_waitset *w, int fd, enum ow_waitset_fd how)
{
	(void)how; /* the watcher goes on */
	return epoll_ctl(of(w)->ep, EPOLL_CTL_DEL, fd, NULL) < 0 ? -errno : 0;
}

/* ---- open and close ---- */

void ow_shm_waitset_close(struct ow_waitset *base)
{
	struct shm_waitset *w = of(base);

	uint32_t i;

	for (i = 0; i < w->n; i++) {
		w->members[i].q->rounds = NULL;
		w->members[i].q->standby = NULL;
	}
	ow_watcher_stop(&w->watcher);
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
	ow_watcher_init(&w->watcher, w->srv);
	ow_looker_init(&w->looker, d, OW_LOOK_SERVER);
	ow_standby_init(&w->standby.measured, d);
	w->ep = epoll_create1(EPOLL_CLOEXEC);
	if (w->ep < 0) {
		e = -errno;
		free(w);
		return e;
	}
	/* Left over from the slot's earlier process. */
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
	shm_of(q)->rounds = &w->rounds;
	ow_shm_standby_join(&w->standby, shm_of(q));
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
			shm_of(q)->rounds = NULL;
			ow_shm_standby_drop(&w->standby, shm_of(q));
			ow_shmq_leave(shm_of(q)->shmq, w->srvid);
			return 0;
		}
	return -ENOENT;
}

int ow_shm_tick(struct ow_waitset *base, uint64_t period_ns)
{
	struct shm_waitset *w = of(base);

	w->period_ns = period_ns;
	/* Periodic work of many servers is spread over the period; a retry,
	 * which has a short period, comes on time. */
	if (period_ns >= OW_NS_PER_SEC)
		period_ns = ow_clock_spread(w->srvid, period_ns);
	w->tick_ns = period_ns != 0 ? ow_clock_mono_ns() + period_ns : 0;
	return 0;
}

/* ---- waiting ---- */

/* Find a queue with messages: true with its tag. */
static bool find_message(struct shm_waitset *w, uint32_t *ret_tag)
{
	uint32_t i, at = w->next;

	for (i = 0; i < w->n; i++, at++) {
		if (at >= w->n)
			at = 0;
		if (!ow_shmq_has_message(w->members[at].q->shmq))
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
		ow_watcher_resume(&w->watcher);
		return false;
	}
	/* More descriptors may be ready: check again the next time. */
	atomic_fetch_or(&w->srv->attention, OW_ATTENTION_FDS);
	w->rounds = 0; /* what the program does with it may take long */
	*ret_tag = (uint32_t)ev.data.u64;
	if (ret_events != NULL)
		*ret_events = ev.events;
	return true;
}

/* Find what `attention` is set for: a kick or a descriptor. */
static bool find_alert(struct shm_waitset *w, uint32_t *ret_tag,
		       uint32_t *ret_events)
{
	_Atomic uint32_t *att = &w->srv->attention;
	uint32_t why = ow_load_relaxed(att);

	if (why == 0)
		return false;
	why = atomic_exchange(att, 0);
	if ((why & OW_ATTENTION_KICK) != 0) {
		atomic_fetch_or(att, why & ~(uint32_t)OW_ATTENTION_KICK);
		*ret_tag = OW_WAITSET_KICK;
		return true;
	}
	return find_descriptor(w, ret_tag, ret_events);
}

static bool find_tick(struct shm_waitset *w, uint32_t *ret_tag)
{
	uint64_t now;
	uint32_t i;

	if (w->tick_ns == 0)
		return false;
	now = ow_clock_mono_ns();
	if (now < w->tick_ns)
		return false;
	w->tick_ns = now + w->period_ns;
	/* An end of file comes without an alert; messages may be hidden. */
	atomic_fetch_or(&w->srv->attention, OW_ATTENTION_FDS);
	for (i = 0; i < w->n; i++)
		ow_shmq_repair(w->members[i].q->shmq);
	*ret_tag = OW_WAITSET_TICK;
	return true;
}

/* The server checks the queue of this member, as if woken for it. */
static void note_wake(struct shm_waitset *w, uint32_t i)
{
	ow_shm_note_wake(w->members[i].q);
	w->woken = true;
	w->poll_only = false;
	w->next = i; /* check it first */
}

/* The sleep is over: read for which queue the server was woken, if any. */
static void read_wake_word(struct shm_waitset *w)
{
	uint32_t word = atomic_exchange(&w->srv->wake_word, OW_WORD_AWAKE), i;

	if (word < OW_WORD_WOKEN || word >= OW_WORD_KICKED)
		return;
	for (i = 0; i < w->n; i++)
		if (w->members[i].tag == word - OW_WORD_WOKEN)
			break;
	w->poll_only = i < w->n &&
		       ow_shm_stands_by(&w->standby, w->members[i].q);
	if (i < w->n && !w->poll_only)
		note_wake(w, i);
}

/* End pending wake-ups for queues other than `tag`, which the server will not
 * poll now: another server has taken the message, or other work comes first. */
static void finish_other_wakes(struct shm_waitset *w, uint32_t tag)
{
	uint32_t i;

	if (!w->woken)
		return;
	w->woken = false;
	for (i = 0; i < w->n; i++) {
		if (w->members[i].tag != tag)
			ow_shm_finish_wake(w->members[i].q);
	}
}

/* Check the queues after the idle bits are set, before sleeping. True: there is
 * a message to take. A server that polls wakes a server instead. */
static bool check_before_sleep(struct shm_waitset *w)
{
	uint32_t i, tag;

	if (!w->poll_only)
		return find_message(w, &tag);
	for (i = 0; i < w->n; i++)
		if (ow_shmq_has_message(w->members[i].q->shmq))
			ow_shmq_notify(w->members[i].q->shmq, 0);
	return false;
}

static bool was_woken(void *srv)
{
	struct ow_srv *s = srv;

	return ow_load_relaxed(&s->wake_word) != OW_WORD_LOOKING;
}

/* Look at the wake word, which is LOOKING. True: woken. Else it is IDLE. */
static bool look_first(struct shm_waitset *w)
{
	uint32_t looking = OW_WORD_LOOKING;

	if (ow_looker_look(&w->looker, was_woken, w->srv))
		return true;
	OW_FAULT("idle.looked");
	return !atomic_compare_exchange_strong(&w->srv->wake_word, &looking,
					       OW_WORD_IDLE);
}

/* The wake word says that this server is idle, and its queues say so, too. */
static int sleep_on_word(struct shm_waitset *w)
{
	uint64_t until = w->tick_ns;

	if (until == 0)
		until = ow_clock_mono_ns() + OW_WAKING_SLICE_NS;
	if (w->standby.by != NULL && w->standby.due_ns < until)
		until = w->standby.due_ns;
	return ow_futex_wait(&w->srv->wake_word, OW_WORD_IDLE, until);
}

/* Look, then sleep, unless there is work after all: 0 or SIGNAL. */
static int wait_until_woken(struct shm_waitset *w)
{
	/* In mode even the next server is another one. */
	bool looks = w->dom->wake != OW_WAKE_EVEN && w->standby.by == NULL &&
		     ow_looker_begin(&w->looker);
	uint64_t from = w->standby.by != NULL ? ow_clock_mono_ns() : 0;
	struct shm_queue *over;
	uint32_t i;
	int r = 0;

	for (i = 0; i < w->n && !w->poll_only; i++)
		ow_shm_was_empty(w->members[i].q);

	atomic_store(&w->srv->wake_word,
		     looks ? OW_WORD_LOOKING : OW_WORD_IDLE);
	OW_FAULT("idle.word");
	for (i = 0; i < w->n; i++)
		ow_shmq_set_idle(w->members[i].q->shmq,
				 w->members[i].q->rank, !w->poll_only);
	OW_FAULT("idle.bits");
	atomic_thread_fence(memory_order_seq_cst);
	if (!check_before_sleep(w) && atomic_load(&w->srv->attention) == 0) {
		if (!looks || !look_first(w)) {
			r = sleep_on_word(w);
			ow_looker_end(&w->looker);
		}
		w->poll_only = true; /* unless the wake word says otherwise */
	}
	OW_FAULT("idle.over");
	if (r == -ETIMEDOUT)
		w->rounds = 0; /* a tick may be due: read the clock now */
	over = ow_shm_standby_over(&w->standby, from);
	for (i = 0; over != NULL && i < w->n; i++)
		if (w->members[i].q == over)
			note_wake(w, i);
	read_wake_word(w);
	return r == -EINTR ? OW_QUEUE_SIGNAL : 0;
}

/* Find work without sleeping. */
static bool find_ready(struct shm_waitset *w, uint32_t *ret_tag,
		       uint32_t *ret_events)
{
	if ((ow_waking_clock_due(&w->dom->waking, &w->rounds) &&
	     find_tick(w, ret_tag)) ||
	    find_alert(w, ret_tag, ret_events) ||
	    (!w->poll_only && find_message(w, ret_tag))) {
		finish_other_wakes(w, *ret_tag);
		return true;
	}
	finish_other_wakes(w, OW_WAITSET_TICK); /* all queues */
	return false;
}

int ow_shm_wait(struct ow_waitset *base, bool wait, uint32_t *ret_tag,
		uint32_t *ret_events)
{
	struct shm_waitset *w = of(base);
	int r;

	if (!wait)
		w->poll_only = false; /* the caller has work: it is awake */
	else if (ow_shm_gives_way(&w->standby))
		w->poll_only = true;
	while (!find_ready(w, ret_tag, ret_events)) {
		if (!wait)
			return OW_QUEUE_TIMEOUT;
		r = wait_until_woken(w);
		if (r != 0)
			return r;
	}
	return 0;
}
