/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle.c - a server on posix waits where senders find it, before it goes to epoll
 *
 * A look (announce.h) is for some microseconds, awake. A doze (doze.h) is for some
 * milliseconds, on a futex of its own.
 */
#include <errno.h>
#include <stdatomic.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/posix/announce.h"
#include "libatmi/transport/posix/bell.h"
#include "libatmi/transport/posix/waitset.h"

#define LOOK_SERVICES 4 /* a server with more does not look */

/* ---- looks (announce.h) ---- */

/* A sender has told this server of a message, whose byte it did not write. */
static void note_due(struct posix_waitset *w, struct posix_member *m)
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

int ow_posix_look_first(struct posix_waitset *w, struct epoll_event *ev)
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

uint32_t ow_posix_take_due(struct posix_waitset *w)
{
	struct posix_member *m;
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
static struct posix_member *leave(struct posix_waitset *w, uint32_t n)
{
	struct posix_member *m = NULL;
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

	if (w->n == 0 || w->n > LOOK_SERVICES || w->watched > 0 ||
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
		struct posix_member **ret)
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

bool ow_posix_doze(struct posix_waitset *w, struct epoll_event *ev, int *ret_n,
		   uint32_t *ret_tag)
{
	struct posix_member *m = NULL;

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
