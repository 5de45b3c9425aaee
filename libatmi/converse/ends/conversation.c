/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversation.c - the conversations of a context: descriptors, states, windows
 */
#include "libatmi/converse/ends/conversation.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/domain/tables.h"
#include "libatmi/span/note.h"
#include "libatmi/transport/transport.h"

/* ---- descriptors ---- */

struct ow_convs *ow_convs_new(struct ow_domain *d, uint32_t slot, uint32_t gen)
{
	struct ow_convs *ts = calloc(1, sizeof(*ts));

	if (ts == NULL)
		return NULL;
	ts->dom = d;
	ts->slot = slot;
	ts->gen = gen;
	return ts;
}

static int grow(struct ow_convs *ts)
{
	int n = ts->n == 0 ? 8 : ts->n * 2;
	struct ow_conv **p;

	if (ts->n == OW_CONV_MAX)
		return -EMFILE;
	if (n > OW_CONV_MAX)
		n = OW_CONV_MAX;
	p = realloc(ts->conv, (size_t)n * sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	memset(p + ts->n, 0, (size_t)(n - ts->n) * sizeof(*p));
	ts->conv = p;
	ts->n = n;
	return 0;
}

int ow_conv_new(struct ow_convs *ts, uint64_t seq, struct ow_conv **ret)
{
	struct ow_conv *t;
	int cd = 0, r;

	if (ts->open == ts->n && (r = grow(ts)) != 0)
		return r;
	while (ts->conv[cd] != NULL)
		cd++;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return -ENOMEM;
	t->cd = cd;
	t->seq = seq;
	ts->conv[cd] = t;
	ts->open++;
	*ret = t;
	return 0;
}

struct ow_conv *ow_conv_find(const struct ow_convs *ts, int cd)
{
	return ts != NULL && cd >= 0 && cd < ts->n ? ts->conv[cd] : NULL;
}

/* It has ended, as far as this end knows. */
static void note_span(const struct ow_conv *t)
{
	long e = t->state == OW_CONV_OVER ? t->event : 0;

	if (t->end.head != NULL)
		t->span->tperr = t->end.head->tperr;
	else
		t->span->tperr = e == TPEV_SVCSUCC   ? 0
				 : e == TPEV_SVCFAIL ? TPESVCFAIL
				 : e == TPEV_SVCERR  ? TPESVCERR
						     : OW_SPAN_DROPPED;
	ow_span_note(t->span);
	free(t->span);
}

void ow_conv_drop(struct ow_convs *ts, struct ow_conv *t)
{
	if (t->span != NULL)
		note_span(t);
	ts->conv[t->cd] = NULL; /* before its queue: ow_convs_forked() */
	ts->open--;
	while (t->first != NULL)
		ow_conv_shift(t);
	if (t->end.head != NULL)
		ow_envelope_close(&t->end);
	ow_queue_close(t->queue);
	free(t);
}

void ow_convs_free(struct ow_convs *ts)
{
	int cd;

	if (ts == NULL)
		return;
	for (cd = 0; cd < ts->n; cd++)
		if (ts->conv[cd] != NULL)
			ow_conv_drop(ts, ts->conv[cd]);
	free(ts->conv);
	free(ts);
}

void ow_convs_forked(struct ow_convs *ts)
{
	int cd;

	for (cd = 0; ts != NULL && cd < ts->n; cd++)
		if (ts->conv[cd] != NULL)
			ow_queue_close(ts->conv[cd]->queue);
}

/* ---- states ---- */

void ow_conv_meet(struct ow_convs *ts, struct ow_conv *t,
		  const struct ow_conv_other *other)
{
	const struct ow_tables *tables = ts->dom->tables;

	t->other = *other;
	t->state = OW_CONV_OPEN;
	/* The slot may be another context's by now; the generation, which is
	 * checked before the process, says so. */
	if (other->slot < atomic_load(&tables->head->clt_high))
		t->other.process = atomic_load(&tables->clt[other->slot].owner);
}

void ow_conv_over(struct ow_conv *t, long event)
{
	if (t->state == OW_CONV_OVER)
		return;
	t->state = OW_CONV_OVER;
	t->event = event;
}

/* ---- windows ---- */

bool ow_conv_has_room(const struct ow_conv *t)
{
	return t->sent - t->acked < OW_CONV_WINDOW &&
	       t->unacked < OW_CONV_BYTES;
}

/* A sender waits with a full window, or with so many bytes out, only if this
 * end owes it an answer as soon as all of that is fetched. */
bool ow_conv_owes(const struct ow_conv *t)
{
	return t->taken - t->told >= OW_CONV_WINDOW / 2 ||
	       t->untold >= OW_CONV_BYTES / 2;
}

void ow_conv_sent(struct ow_conv *t, uint64_t len)
{
	t->size[t->sent++ % OW_CONV_WINDOW] = len;
	t->unacked += len;
}

void ow_conv_acknowledged(struct ow_conv *t, uint32_t taken)
{
	if (taken - t->acked > t->sent - t->acked)
		return; /* an earlier message said more */
	while (t->acked != taken)
		t->unacked -= t->size[t->acked++ % OW_CONV_WINDOW];
}

void ow_conv_fetched(struct ow_conv *t, const struct ow_msg *m)
{
	t->taken++;
	t->untold += m->len;
	if (m->flags & TPRECVONLY)
		t->turn = OW_TURN_OURS;
}

/* ---- messages that are kept ---- */

int ow_conv_keep(struct ow_conv *t, struct ow_envelope *e)
{
	struct ow_conv_kept *k = calloc(1, sizeof(*k));

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

void ow_conv_shift(struct ow_conv *t)
{
	struct ow_conv_kept *k = t->first;

	t->first = k->next;
	if (t->first == NULL)
		t->last = NULL;
	ow_envelope_close(&k->e);
	free(k);
}
