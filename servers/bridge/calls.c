/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - calls of this node that others serve: their replies, or their end
 *
 * A call is in the table from before it is sent until it is answered. Whoever
 * takes it out answers it: once.
 */
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "servers/bridge/bridge.h"
#include "servers/bridge/room.h"
#include "servers/bridge/tran.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/envelope.h"
#include "libatmisrv/handed.h"

/* ---- payloads in parts ---- */

void ow_br_partial_free(struct ow_bridge *b, struct ow_br_partial *p)
{
	if (p == NULL)
		return;
	ow_br_partial_whole(b, p);
	free(p);
}

void ow_br_partial_whole(struct ow_bridge *b, const struct ow_br_partial *p)
{
	b->partial_bytes -= p->frame.total;
	p->from->partial_bytes -= p->frame.total;
}

/* Of all bridges of the node. */
static uint64_t partial_of(const struct ow_bridge *b, uint32_t node)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < b->npeers; i++)
		if (b->peer[i]->node == node)
			n += b->peer[i]->partial_bytes;
	return n;
}

static struct ow_br_partial *partial_new(struct ow_bridge *b,
					 struct ow_br_peer *from,
					 const struct ow_br_frame *f)
{
	struct ow_br_partial *p = NULL;

	if (b->partial_bytes + f->total <= OW_BR_PARTIAL_ALL &&
	    partial_of(b, from->node) + f->total <= OW_BR_PARTIAL)
		p = ow_br_room_new(sizeof(*p) + f->total);
	if (p == NULL)
		return NULL;
	b->partial_bytes += f->total;
	from->partial_bytes += f->total;
	p->from = from;
	p->frame = *f;
	p->have = 0;
	return p;
}

struct ow_br_partial *ow_br_partial_find(struct ow_br_partial *list,
					 const struct ow_br_frame *f)
{
	while (list != NULL && list->frame.id != f->id)
		list = list->next;
	return list;
}

struct ow_br_partial *ow_br_collect(struct ow_bridge *b,
				    struct ow_br_peer *from,
				    struct ow_br_partial **list,
				    const struct ow_br_frame *f,
				    const char *payload)
{
	struct ow_br_partial *p;

	while (*list != NULL && (*list)->frame.id != f->id)
		list = &(*list)->next;
	if (f->offset == 0 && *list == NULL) {
		p = partial_new(b, from, f);
		if (p != NULL)
			p->next = NULL;
		*list = p;
	}
	p = *list;
	if (p == NULL)
		return NULL; /* it was dropped before */
	if (p->have == f->offset && f->total == p->frame.total) {
		memcpy(p->payload + p->have, payload, f->len);
		p->have += f->len;
	}
	if (p->have < p->frame.total)
		return NULL;
	*list = p->next;
	return p;
}

/* ---- the end of a call ---- */

/* Take it out of the table. Lock held. */
static void end_call(struct ow_bridge *b, struct ow_br_call *c, int tperr,
		     struct ow_br_call **ret)
{
	HASH_DEL(b->calls, c);
	if (c->peer->outstanding > 0)
		c->peer->outstanding--;
	ow_br_partial_free(b, c->partial);
	c->partial = NULL;
	c->tperr = tperr;
	c->next = *ret;
	*ret = c;
}

void ow_br_calls_lose(struct ow_bridge *b, const struct ow_br_peer *p,
		      uint64_t batch, struct ow_br_call **ret)
{
	struct ow_br_call *c, *next;

	HASH_ITER(hh, b->calls, c, next)
	{
		if (c->peer != p || (batch != 0 && c->batch != batch))
			continue;
		c->peer->lost++;
		/* Whoever has not got all of it has executed nothing. */
		end_call(b, c, batch != 0 || c->batch == 0 ? TPENOENT
							   : TPESVCERR, ret);
	}
}

void ow_br_calls_answer(struct ow_bridge *b, struct ow_br_call *list)
{
	struct ow_br_call *c;

	while ((c = list) != NULL) {
		struct ow_handed_answer a = { .tperr = c->tperr };

		list = c->next;
		a.unwanted = c->tperr == TPETIME; /* of a conversation */
		if (!a.unwanted)
			log_warn("call %llu to node %u: %s",
				 (unsigned long long)c->id, c->peer->node,
				 c->tperr == TPENOENT
				     ? "not delivered: its caller gets TPENOENT"
				     : "the node is lost, the outcome is "
				       "unknown: its caller gets TPESVCERR");
		ow_br_tran_failed(b, c->tran, c->tperr);
		ow_handed_answer(c->number, &a);
		free(c);
	}
}

void ow_br_calls_expire(struct ow_bridge *b, uint64_t now,
			struct ow_br_call **ret)
{
	struct ow_br_call *c, *next, *late = NULL;

	HASH_ITER(hh, b->calls, c, next)
	{
		if (ow_deadline_passed(c->deadline, now))
			end_call(b, c, TPETIME, c->far.seq != 0 ? ret : &late);
	}
	/* The library drops what nobody answers in time. */
	while ((c = late) != NULL) {
		late = c->next;
		c->peer->errors++;
		free(c);
	}
}

struct ow_br_call *ow_br_call_accepted(struct ow_bridge *b,
				       const struct ow_br_peer *p, uint64_t id)
{
	struct ow_br_call *c = NULL;

	HASH_FIND(hh, b->calls, &id, sizeof(id), c);
	if (c == NULL || c->peer != p || c->far.seq == 0 ||
	    ow_deadline_passed(c->deadline, ow_clock_mono_ns()))
		return NULL;
	HASH_DEL(b->calls, c);
	ow_br_partial_free(b, c->partial);
	c->partial = NULL;
	return c;
}

/* ---- replies ---- */

static void answer(struct ow_bridge *b, struct ow_br_call *c,
		   const struct ow_br_frame *f, const char *payload)
{
	struct ow_content content = { .type = f->buftype,
				      .sub_len = f->sub_len };
	struct ow_handed_answer a = { .tperr = f->tperr,
				      .urcode = (long)f->urcode };

	if (f->tperr == 0 || f->tperr == TPESVCFAIL) {
		memcpy(content.subtype, payload, f->sub_len);
		content.payload.data = (void *)(payload + f->sub_len);
		content.payload.len = f->total - f->sub_len;
		a.content = &content;
	}
	ow_br_tran_failed(b, c->tran, a.tperr);
	ow_handed_answer(c->number, &a);
	free(c);
}

void ow_br_reply(struct ow_bridge *b, struct ow_br_peer *p,
		 const struct ow_br_frame *f, const char *payload)
{
	struct ow_br_call *c = NULL, *ended = NULL;
	struct ow_br_partial *whole = NULL;
	bool large = f->total > f->len;

	pthread_mutex_lock(&b->lock);
	p->lane[OW_BR_REPLIES].taken += f->len + OW_BR_COST;
	HASH_FIND(hh, b->calls, &f->id, sizeof(f->id), c);
	if (c != NULL && c->peer != p)
		c = NULL;
	if (c != NULL && large)
		whole = ow_br_collect(b, p, &c->partial, f, payload);
	if (c != NULL && (!large || whole != NULL ||
			  (c->partial == NULL && f->offset == 0)))
		end_call(b, c, TPEOS, &ended);
	if (ended != NULL && f->tperr != 0)
		p->errors++;
	if (whole != NULL)
		ow_br_partial_whole(b, whole);
	pthread_mutex_unlock(&b->lock);
	if (ended == NULL)
		return;
	if (!large)
		answer(b, ended, f, payload);
	else if (whole != NULL)
		answer(b, ended, &whole->frame, whole->payload);
	else
		ow_br_calls_answer(b, ended); /* no memory */
	free(whole);
}
