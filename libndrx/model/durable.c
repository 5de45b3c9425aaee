/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable.c - durable queues: of each tmqueue, those that it shows
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/model/things.h"

/* Messages that have left it. */
static uint64_t gone(const struct ow_mq_snapshot_queue *q)
{
	uint64_t served = q->flags & OW_MQ_SNAPSHOT_TRANSACT ? 0 : q->succeeded;

	return q->dequeued + served + q->failed;
}

static struct ow_m_durable *find(struct ow_model *m, uint32_t srvid,
				 const struct ow_mq_snapshot_queue *q,
				 uint64_t now_ns)
{
	struct ow_m_durable *e;
	char id[sizeof(e->id)] = "";

	snprintf(id, sizeof(id), "%u/%s", srvid & 0xffff, q->name);
	HASH_FIND(hh, m->durable, id, sizeof(id), e);
	if (e != NULL)
		return e;
	e = calloc(1, sizeof(*e));
	if (e == NULL)
		return NULL;
	memcpy(e->id, id, sizeof(id));
	ow_growth_start(&e->in, q->enqueued, now_ns);
	ow_growth_start(&e->out, gone(q), now_ns);
	ow_growth_start(&e->failures, q->failed, now_ns);
	HASH_ADD(hh, m->durable, id, sizeof(e->id), e);
	if (e->hh.tbl == NULL) {
		free(e);
		return NULL;
	}
	e->v.row.key = e->hh.hashv;
	return e;
}

static enum ow_grade judge(const struct ow_durable_row *v, uint32_t flags)
{
	if (v->full)
		return OW_GRADE_BAD;
	if ((flags & OW_MQ_SNAPSHOT_FAILURES) != 0 && v->depth > 0)
		return OW_GRADE_LOOK;
	return v->failures > 0 || v->oldest >= (double)OW_SNAPSHOT_OLD_US
		   ? OW_GRADE_LOOK
		   : OW_GRADE_CALM;
}

static void take_rates(struct ow_model *m, struct ow_m_durable *e,
		       const struct ow_mq_snapshot_queue *q, uint64_t now_ns)
{
	struct ow_durable_row *v = &e->v;

	v->in_all = (double)q->enqueued;
	v->out_all = (double)gone(q);
	v->failed = (double)q->failed;
	v->in = ow_growth_rate(&e->in, q->enqueued, now_ns, m->span_ns);
	v->out = ow_growth_rate(&e->out, gone(q), now_ns, m->span_ns);
	v->failures = ow_growth_rate(&e->failures, q->failed, now_ns,
				     m->span_ns);
}

static void take(struct ow_model *m, struct ow_m_durable *e,
		 const struct ow_mq_snapshot *p,
		 const struct ow_mq_snapshot_queue *q,
		 const struct ow_sample *s)
{
	struct ow_durable_row *v = &e->v;

	e->seen = m->overview.looks;
	v->row.srvid = p->head.srvid;
	memcpy(v->name, q->name, sizeof(v->name));
	memcpy(v->space, p->space, sizeof(v->space));
	snprintf(v->kind, sizeof(v->kind), "%s",
		 q->flags & OW_MQ_SNAPSHOT_AUTOMATIC  ? "auto"
		 : q->flags & OW_MQ_SNAPSHOT_FAILURES ? "error"
						      : "");
	v->depth = (double)q->queued;
	v->locked = (double)q->locked;
	v->bytes = (double)q->bytes;
	v->waiting = q->waiting;
	v->oldest =
	    q->since_ns != 0 ? (double)ow_snapshot_age_us(q, s->real_ns) : NAN;
	v->full = p->full != 0;
	take_rates(m, e, q, s->now_ns);
	v->row.grade = judge(v, q->flags);
}

static int take_space(struct ow_model *m, const struct ow_mq_snapshot *p,
		      const struct ow_sample *s)
{
	struct ow_m_durable *e;
	uint32_t i;
	int r = 0;

	for (i = 0; i < p->n && r == 0; i++) {
		e = find(m, p->head.srvid, &p->queue[i], s->now_ns);
		if (e == NULL)
			return -ENOMEM;
		take(m, e, p, &p->queue[i], s);
		r = ow_list_add(&m->list_durable, &e->v.row);
	}
	return r;
}

int ow_model_take_durable(struct ow_model *m, const struct ow_sample *s)
{
	struct ow_m_durable *e, *next;
	int r = 0;
	size_t i;

	for (i = 0; i < s->n_spaces && r == 0; i++)
		r = take_space(m, s->spaces[i], s);
	HASH_ITER(hh, m->durable, e, next) {
		if (e->seen != m->overview.looks) {
			HASH_DEL(m->durable, e);
			free(e);
		}
	}
	return r;
}

void ow_model_free_durable(struct ow_model *m)
{
	struct ow_m_durable *e, *next;

	HASH_ITER(hh, m->durable, e, next) {
		HASH_DEL(m->durable, e);
		free(e);
	}
}
