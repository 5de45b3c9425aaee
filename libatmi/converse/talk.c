/* SPDX-License-Identifier: Apache-2.0 */
/*
 * talk.c - the conversations of a context: descriptors, states, windows
 */
#include "libatmi/converse/talk.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/domain/tables.h"
#include "libatmi/transport/transport.h"

/* ---- descriptors ---- */

struct ow_talks *ow_talks_new(struct ow_domain *d, uint32_t slot, uint32_t gen)
{
	struct ow_talks *ts = calloc(1, sizeof(*ts));

	if (ts == NULL)
		return NULL;
	ts->dom = d;
	ts->slot = slot;
	ts->gen = gen;
	return ts;
}

static int grow(struct ow_talks *ts)
{
	int n = ts->n == 0 ? 8 : ts->n * 2;
	struct ow_talk **p;

	if (ts->n == OW_TALK_MAX)
		return -EMFILE;
	if (n > OW_TALK_MAX)
		n = OW_TALK_MAX;
	p = realloc(ts->talk, (size_t)n * sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	memset(p + ts->n, 0, (size_t)(n - ts->n) * sizeof(*p));
	ts->talk = p;
	ts->n = n;
	return 0;
}

int ow_talk_new(struct ow_talks *ts, uint64_t seq, struct ow_talk **ret)
{
	struct ow_talk *t;
	int cd = 0, r;

	if (ts->open == ts->n && (r = grow(ts)) != 0)
		return r;
	while (ts->talk[cd] != NULL)
		cd++;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return -ENOMEM;
	t->cd = cd;
	t->seq = seq;
	ts->talk[cd] = t;
	ts->open++;
	*ret = t;
	return 0;
}

struct ow_talk *ow_talk_find(const struct ow_talks *ts, int cd)
{
	return ts != NULL && cd >= 0 && cd < ts->n ? ts->talk[cd] : NULL;
}

void ow_talk_drop(struct ow_talks *ts, struct ow_talk *t)
{
	ts->talk[t->cd] = NULL; /* before its queue: ow_talks_forked() */
	ts->open--;
	while (t->first != NULL)
		ow_talk_shift(t);
	if (t->end.head != NULL)
		ow_envelope_close(&t->end);
	ow_queue_close(t->queue);
	free(t);
}

void ow_talks_free(struct ow_talks *ts)
{
	int cd;

	if (ts == NULL)
		return;
	for (cd = 0; cd < ts->n; cd++)
		if (ts->talk[cd] != NULL)
			ow_talk_drop(ts, ts->talk[cd]);
	free(ts->talk);
	free(ts);
}

void ow_talks_forked(struct ow_talks *ts)
{
	int cd;

	for (cd = 0; ts != NULL && cd < ts->n; cd++)
		if (ts->talk[cd] != NULL)
			ow_queue_close(ts->talk[cd]->queue);
}

/* ---- states ---- */

void ow_talk_meet(struct ow_talks *ts, struct ow_talk *t,
		  const struct ow_talk_far *far)
{
	const struct ow_tables *tables = ts->dom->tables;

	t->far = *far;
	t->state = OW_TALK_OPEN;
	/* The slot may be another context's by now; the generation, which is
	 * checked before the process, says so. */
	if (far->slot < atomic_load(&tables->head->clt_high))
		t->far.process = atomic_load(&tables->clt[far->slot].owner);
}

void ow_talk_over(struct ow_talk *t, long event)
{
	if (t->state == OW_TALK_OVER)
		return;
	t->state = OW_TALK_OVER;
	t->event = event;
}

/* ---- windows ---- */

bool ow_talk_has_room(const struct ow_talk *t)
{
	return t->sent - t->acked < OW_TALK_WINDOW &&
	       t->unacked < OW_TALK_BYTES;
}

/* A sender waits with a full window, or with so many bytes out, only if this
 * end owes it an answer as soon as all of that is fetched. */
bool ow_talk_owes(const struct ow_talk *t)
{
	return t->taken - t->told >= OW_TALK_WINDOW / 2 ||
	       t->untold >= OW_TALK_BYTES / 2;
}

void ow_talk_sent(struct ow_talk *t, uint64_t len)
{
	t->size[t->sent++ % OW_TALK_WINDOW] = len;
	t->unacked += len;
}

void ow_talk_acknowledged(struct ow_talk *t, uint32_t taken)
{
	if (taken - t->acked > t->sent - t->acked)
		return; /* an earlier message said more */
	while (t->acked != taken)
		t->unacked -= t->size[t->acked++ % OW_TALK_WINDOW];
}

void ow_talk_fetched(struct ow_talk *t, const struct ow_msg *m)
{
	t->taken++;
	t->untold += m->len;
	if (m->flags & TPRECVONLY)
		t->turn = OW_TURN_OURS;
}

/* ---- messages that are kept ---- */

int ow_talk_keep(struct ow_talk *t, struct ow_envelope *e)
{
	struct ow_talk_kept *k = calloc(1, sizeof(*k));

	if (k == NULL || ow_envelope_keep(&k->e, e) != 0) {
		free(k);
		return -ENOMEM;
	}
	if (t->last != NULL)
		t->last->next = k;
	else
		t->first = k;
	t->last = k;
	return 0;
}

void ow_talk_shift(struct ow_talk *t)
{
	struct ow_talk_kept *k = t->first;

	t->first = k->next;
	if (t->first == NULL)
		t->last = NULL;
	ow_envelope_close(&k->e);
	free(k);
}
