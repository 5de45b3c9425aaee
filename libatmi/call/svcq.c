/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svcq.c - from a service's name to its open queue
 *
 * Station 2 of a call. The generation of a service's queue is odd while the
 * queue exists, and changes when the queue is removed or created. It is read
 * before the queue is opened and compared afterwards, so an entry never has a
 * queue with the generation of another queue. A service without servers may
 * lose its slot to another one; the generation then changes, too.
 */
#include "libatmi/call/svcq.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/call/context.h"
#include "libatmi/base/probe.h"

static const struct ow_svc *row(const struct ow_ctx *c,
				const struct ow_svcq *s)
{
	return &c->dom->tables->svc[s->svc];
}

/* Of the service whose queue it is. */
static const struct ow_svc *way(const struct ow_ctx *c,
				const struct ow_svcq *s)
{
	return &c->dom->tables->svc[s->via];
}

bool ow_svcq_current(const struct ow_ctx *c, const struct ow_svcq *s)
{
	return atomic_load(&way(c, s)->gen) == s->gen;
}

bool ow_svcq_is_served(const struct ow_ctx *c, const struct ow_svcq *s)
{
	return ow_svc_servers(way(c, s)) != 0;
}

/* Find the slot again, if another service has it now: 0 or ABSENT. */
static int follow(struct ow_ctx *c, struct ow_svcq *s)
{
	int idx;

	if (ow_svc_is(row(c, s), s->name))
		return 0;
	s->queue = ow_queue_close(s->queue);
	idx = ow_svc_find(c->dom->tables, s->name);
	if (idx < 0)
		return OW_SVCQ_ABSENT;
	s->svc = s->via = (uint32_t)idx;
	return 0;
}

/* Open the queue of `s` anew. ABSENT: it was removed meanwhile. */
static int reopen(struct ow_ctx *c, struct ow_svcq *s)
{
	const char *name = s->via == s->svc ? s->name : OW_SVC_OVERFLOW;
	int r, tries;

	for (tries = 0; tries < 5; tries++) {
		s->queue = ow_queue_close(s->queue);
		s->gen = atomic_load(&way(c, s)->gen);
		if ((s->gen & 1) == 0 || !ow_svc_is(way(c, s), name))
			return OW_SVCQ_ABSENT;
		r = ow_queue_open(c->dom, ow_service_queue(name), &s->queue);
		if (r < 0)
			return r;
		if (r == 0 && ow_svcq_current(c, s))
			return 0;
	}
	return OW_SVCQ_ABSENT;
}

/* What keeps a call from the queue of a service, other than the marks
 * `despite`; 0: nothing does. A kept reply does only where a server would. */
static int hindrance(const struct ow_svc *svc, bool served, uint8_t despite)
{
	uint8_t marks = atomic_load(&svc->marks) & (uint8_t)~despite;

	if (marks & OW_SVC_DURABLE)
		return OW_SVCQ_DURABLE;
	if (marks & (OW_SVC_SUSPENDED | OW_SVC_DRAINED))
		return OW_SVCQ_SUSPENDED;
	if (!served && (marks & OW_SVC_ROUTED) == 0)
		return OW_SVCQ_ABSENT;
	if (marks & OW_SVC_CACHED)
		return OW_SVCQ_CACHED;
	return marks & OW_SVC_ROUTED ? OW_SVCQ_ROUTED : 0;
}

/* Do bridges serve it, by the queue of service *ret? `mark`: REMOTE, other nodes
 * offer it; KEPT, they do or did, and a bridge knows. */
static bool is_overflow(const struct ow_tables *t, const struct ow_svc *svc,
			uint8_t mark, uint32_t *ret)
{
	int idx;

	if ((atomic_load(&svc->marks) & mark) == 0)
		return false;
	idx = ow_svc_find(t, OW_SVC_OVERFLOW);
	if (idx < 0 || !ow_svc_is_open(&t->svc[idx]))
		return false;
	*ret = (uint32_t)idx;
	return true;
}

/* Its servers take what they have, and nothing new. */
static bool is_drained(const struct ow_svc *svc, uint8_t despite)
{
	return (atomic_load(&svc->marks) & (uint8_t)~despite &
		OW_SVC_DRAINED) != 0;
}

/* By whose queue its servers are reached: it has some, or bridges do for it, or
 * it awaits some (doc/design/restarts.md). False: nobody serves it. */
static bool find_way(const struct ow_ctx *c, const struct ow_svcq *s,
		     uint32_t *ret)
{
	const struct ow_tables *t = c->dom->tables;
	const struct ow_svc *svc = row(c, s);

	*ret = s->svc;
	if (ow_svc_servers(svc) != 0 ||
	    is_overflow(t, svc, OW_SVC_REMOTE, ret) ||
	    (ow_svc_is_awaited(svc) && ow_await_is_reasonable(t)))
		return true;
	/* Its last server has just left: its bridge will offer it soon. */
	return is_overflow(t, svc, OW_SVC_KEPT, ret);
}

/* The open queue is not the service's, no server serves it, or it has a
 * mark. */
static int renew(struct ow_ctx *c, struct ow_svcq *s, uint8_t despite)
{
	uint32_t via = s->svc;
	bool served;
	int r = follow(c, s);

	if (r != 0)
		return r;
	despite |= c->despite;
	served = find_way(c, s, &via);
	if (is_drained(row(c, s), despite) &&
	    is_overflow(c->dom->tables, row(c, s), OW_SVC_KEPT, &via))
		despite |= OW_SVC_DRAINED;
	r = hindrance(row(c, s), served, despite);
	if (r != 0) {
		/* A removed queue counts against the limits while any process
		 * has it open. */
		if (!ow_svcq_current(c, s))
			s->queue = ow_queue_close(s->queue);
		return r;
	}
	if (s->via != via) {
		s->queue = ow_queue_close(s->queue);
		s->via = via;
	}
	return s->queue == NULL || !ow_svcq_current(c, s) ? reopen(c, s) : 0;
}

static int remember(struct ow_ctx *c, const char *name, struct ow_svcq **ret)
{
	struct ow_svcq *s;
	int idx = ow_svc_find(c->dom->tables, name);

	if (idx < 0)
		return OW_SVCQ_ABSENT;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	s->svc = s->via = (uint32_t)idx;
	snprintf(s->name, sizeof(s->name), "%s", name);
	HASH_ADD_STR(c->svcqs, name, s);
	if (s->hh.tbl == NULL) {
		free(s);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

/* Inlined into both: a call of an ordinary service pays for no choice. */
static inline __attribute__((always_inline)) int
find(struct ow_ctx *c, const char *name, uint8_t despite,
     struct ow_svcq **ret)
{
	struct ow_svcq *s = c->svcq_last;
	int r;

	if (s == NULL || strcmp(s->name, name) != 0)
		HASH_FIND_STR(c->svcqs, name, s);
	if (s == NULL) {
		r = remember(c, name, &s);
		if (r != 0)
			return r;
	}
	c->svcq_last = s;
	if (!ow_svc_is_open(row(c, s)) || s->queue == NULL ||
	    s->via != s->svc || !ow_svcq_current(c, s)) {
		r = renew(c, s, despite);
		if (r != 0)
			return r;
	}
	OW_PROBE2(lookup, name, s->svc);
	*ret = s;
	return 0;
}

int ow_svcq_find(struct ow_ctx *c, const char *name, struct ow_svcq **ret)
{
	return find(c, name, 0, ret);
}

int ow_svcq_find_despite(struct ow_ctx *c, const char *name, uint8_t marks,
			 struct ow_svcq **ret)
{
	return find(c, name, marks, ret);
}

void ow_svcq_nudge(struct ow_ctx *c)
{
	struct ow_svcq *s, *next;

	HASH_ITER(hh, c->svcqs, s, next)
	{
		if (s->queue != NULL)
			ow_queue_nudge_of_many(s->queue);
	}
}

void ow_svcq_close_all(struct ow_ctx *c)
{
	struct ow_svcq *s, *next;

	c->svcq_last = NULL;
	HASH_ITER(hh, c->svcqs, s, next)
	{
		HASH_DEL(c->svcqs, s);
		ow_queue_close(s->queue);
		free(s);
	}
}
