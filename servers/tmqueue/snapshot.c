/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c - write what onlookers see of this tmqueue
 */
#include "servers/tmqueue/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>

#include "servers/tmqueue/message.h"
#include "servers/tmqueue/space.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/durable/snapshot.h"

#define PERIOD_NS (100 * OW_NS_PER_MS)

struct snapshot {
	struct ow_mq_snapshot *p;
	uint64_t next_ns; /* not before */
	uint64_t commits; /* of the store, when it was opened */
	uint64_t syncs;	  /* of earlier processes */
	bool changed;
};

static void name_space(struct ow_mq_snapshot *p, const struct space *sp)
{
	snprintf(p->space, sizeof(p->space), "%s", sp->name);
	snprintf(p->path, sizeof(p->path), "%.255s", sp->store.path);
}

struct snapshot *snapshot_open(const struct space *sp, uint32_t srvid)
{
	struct snapshot *s = calloc(1, sizeof(*s));
	int r;

	if (s == NULL)
		return NULL;
	r = ow_snapshot_open(sp->dom, &ow_mq_snapshot_kind, srvid, &s->p);
	if (r != 0) {
		userlog((char *)"tmqueue: space %s: its queues are not shown: "
			"%s", sp->name, strerror(-r));
		free(s);
		return NULL;
	}
	s->commits = store_commits(&sp->store);
	s->syncs = s->p->syncs;
	s->changed = true;
	ow_snapshot_begin(&s->p->head, &ow_mq_snapshot_kind);
	name_space(s->p, sp);
	s->p->n = 0;
	ow_snapshot_end(&s->p->head);
	return s;
}

struct snapshot *snapshot_close(struct snapshot *s)
{
	if (s != NULL)
		ow_snapshot_close(&s->p->head, &ow_mq_snapshot_kind);
	free(s);
	return NULL;
}

void snapshot_path(const struct space *sp, uint32_t srvid, char *path,
		   size_t size)
{
	struct ow_mq_snapshot *p =
	    ow_snapshot_read(sp->dom, &ow_mq_snapshot_kind, srvid);

	snprintf(path, size, "%s", p != NULL ? p->path : "?");
	free(p);
}

void snapshot_worked(struct snapshot *s, bool changed)
{
	if (s != NULL && changed)
		s->changed = true;
}

uint64_t snapshot_next(const struct snapshot *s)
{
	return s != NULL && s->changed ? s->next_ns : 0;
}

/* ---- queues ---- */

/* Does another queue give up messages into it? */
static bool gets_failures(const struct queues *qs, const struct queue *q)
{
	const struct queue *from;

	for (from = qs->first; from != NULL && !q->failures; from = from->next)
		if (strcmp(from->def.errorq, q->name) == 0)
			return true;
	return q->failures;
}

static void show(struct space *sp, const struct queue *q,
		 struct ow_mq_snapshot_queue *e)
{
	memset(e, 0, sizeof(*e));
	memcpy(e->name, q->name, sizeof(e->name));
	e->flags =
	    (q->def.automatic ? OW_MQ_SNAPSHOT_AUTOMATIC : 0) |
	    (q->def.transact ? OW_MQ_SNAPSHOT_TRANSACT : 0) |
	    (q->defined ? 0 : OW_MQ_SNAPSHOT_IMPLIED) |
	    (gets_failures(&sp->queues, q) ? OW_MQ_SNAPSHOT_FAILURES : 0);
	e->waiting = q->waiting;
	e->queued = q->now.queued;
	e->locked = queue_locked(q);
	e->bytes = q->now.bytes;
	e->enqueued = q->now.enqueued;
	e->dequeued = q->now.dequeued;
	e->succeeded = q->now.succeeded;
	e->failed = q->now.failed;
	e->since_ns = message_oldest(&sp->store, q);
}

/* Those with messages, or those without. */
static void show_all(struct space *sp, struct ow_mq_snapshot *p, bool with)
{
	const struct queue *q;

	for (q = sp->queues.first; q != NULL; q = q->next)
		if ((q->now.queued > 0) == with && p->n < OW_MQ_SNAPSHOT_MAX)
			show(sp, q, &p->queue[p->n++]);
}

void snapshot_look(struct snapshot *s, struct space *sp, uint64_t now)
{
	struct ow_mq_snapshot *p;

	if (s == NULL || !s->changed || now < s->next_ns ||
	    store_begin(&sp->store, 0, true) != 0)
		return;
	s->changed = false;
	s->next_ns = now + PERIOD_NS;
	p = s->p;
	ow_snapshot_begin(&p->head, &ow_mq_snapshot_kind);
	name_space(p, sp);
	p->full = sp->store.full;
	p->syncs = s->syncs + store_commits(&sp->store) - s->commits;
	p->n = 0;
	show_all(sp, p, true);
	show_all(sp, p, false);
	ow_snapshot_end(&p->head);
	store_abort(&sp->store);
}
