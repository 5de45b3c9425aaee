/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - calls of this node that others serve: their replies, or their end
 *
 * A call is in the table from before it is sent until it is answered. Whoever
 * takes it out answers it: once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/envelope.h"
#include "libatmi/wire/cause.h"
#include "libatmisrv/deferred.h"
#include "servers/bridge/out/calls.h"
#include "servers/bridge/out/refuse.h"
#include "servers/bridge/peers/parts.h"

/* ---- the end of a call ---- */

/* Take it out of the table. Lock held. */
static void end_call(struct ow_br_calls *cs, struct ow_br_call *c, int tperr,
		     struct ow_br_call **ret)
{
	HASH_DEL(cs->calls, c);
	if (c->peer->outstanding > 0)
		c->peer->outstanding--;
	ow_br_partial_free(cs->peers, c->partial);
	c->partial = NULL;
	c->tperr = tperr;
	c->next = *ret;
	*ret = c;
}

void ow_br_calls_lose(struct ow_br_calls *cs, const struct ow_br_peer *p,
		      uint64_t batch, struct ow_br_call **ret)
{
	struct ow_br_call *c, *next;

	HASH_ITER(hh, cs->calls, c, next)
	{
		if (c->peer != p || (batch != 0 && c->batch != batch))
			continue;
		c->peer->lost++;
		ow_br_time_note(c->time, c->begun_ns, true);
		/* Whoever has not got all of it has executed nothing. */
		end_call(cs, c, batch != 0 || c->batch == 0 ? TPENOENT
							   : TPESVCERR, ret);
	}
}

/* What became of a call whose reply is not there. */
static const char *fate(int tperr)
{
	switch (tperr) {
	case TPENOENT:
		return "did not get it";
	case TPEOS:
		return "has answered, and there is no memory for that";
	default:
		return "is lost, the outcome is unknown";
	}
}

void ow_br_calls_answer(struct ow_br_calls *cs, struct ow_br_call *list)
{
	struct ow_br_call *c;

	while ((c = list) != NULL) {
		struct ow_deferred_answer a = { .tperr = c->tperr };
		char why[64];

		list = c->next;
		a.unwanted = c->tperr == TPETIME; /* of a conversation */
		if (!a.unwanted)
			a.tperr = ow_br_error_of(c->flags, c->tperr);
		a.urcode = ow_br_urcode_of(a.tperr);
		if (!a.unwanted)
			log_warn("call %llu: node %u %s: its caller gets %s",
				 (unsigned long long)c->id, c->peer->node,
				 fate(c->tperr), tpecodestr(a.tperr));
		snprintf(why, sizeof(why), "node %u %s", c->peer->node,
			 fate(c->tperr));
		a.cause = why;
		cs->failed(cs->arg, c->tran, c->tran_log, a.tperr);
		ow_deferred_answer(c->number, &a);
		free(c);
	}
}

void ow_br_calls_expire(struct ow_br_calls *cs, uint64_t now,
			struct ow_br_call **ret)
{
	struct ow_br_call *c, *next, *late = NULL;

	HASH_ITER(hh, cs->calls, c, next)
	{
		if (!ow_deadline_passed(c->deadline, now))
			continue;
		ow_br_time_note(c->time, c->begun_ns, true);
		end_call(cs, c, TPETIME, c->other.seq != 0 ? ret : &late);
	}
	/* The library drops what nobody answers in time. */
	while ((c = late) != NULL) {
		late = c->next;
		c->peer->errors++;
		free(c);
	}
}

struct ow_br_call *ow_br_call_accepted(struct ow_br_calls *cs,
				       const struct ow_br_peer *p, uint64_t id)
{
	struct ow_br_call *c = NULL;

	HASH_FIND(hh, cs->calls, &id, sizeof(id), c);
	if (c == NULL || c->peer != p || c->other.seq == 0 ||
	    ow_deadline_passed(c->deadline, ow_clock_mono_ns()))
		return NULL;
	HASH_DEL(cs->calls, c);
	ow_br_partial_free(cs->peers, c->partial);
	c->partial = NULL;
	return c;
}

void ow_br_call_sent(struct ow_br_calls *cs, uint64_t id, uint64_t number)
{
	struct ow_br_call *c = NULL;

	HASH_FIND(hh, cs->calls, &id, sizeof(id), c);
	if (c != NULL)
		c->batch = number;
}

/* ---- replies ---- */

#define CAUSE (OW_CAUSE_MAX + 24)

/* Why it failed there, with the number of the node; "": nobody has said. */
static void read_cause(uint32_t node, const struct ow_br_frame *f,
		       const char *payload, char ret[CAUSE])
{
	const struct ow_msg m = { .tperr = f->tperr,
				  .flags = f->flags,
				  .len = f->total };
	char text[OW_CAUSE_MAX + 1];

	ow_cause_read(&m, payload, text);
	ret[0] = '\0';
	if (text[0] != '\0')
		snprintf(ret, CAUSE, "node %u: %s", node, text);
}

static void answer(struct ow_br_calls *cs, struct ow_br_call *c,
		   const struct ow_br_frame *f, const char *payload)
{
	struct ow_content content = { .type = f->buftype,
				      .sub_len = f->sub_len };
	struct ow_deferred_answer a = {
		.tperr = f->tperr,
		.urcode = ow_br_urcode_heard(c->flags, f->tperr, f->urcode),
	};
	char why[CAUSE];

	if (f->tperr != 0 && f->tperr != TPESVCFAIL) {
		read_cause(c->peer->node, f, payload, why);
		a.cause = why;
	} else {
		memcpy(content.subtype, payload, f->sub_len);
		content.payload.data = (void *)(payload + f->sub_len);
		content.payload.len = f->total - f->sub_len;
		a.content = &content;
	}
	cs->failed(cs->arg, c->tran, c->tran_log, a.tperr);
	ow_deferred_answer(c->number, &a);
	free(c);
}

void ow_br_reply(struct ow_br_calls *cs, struct ow_br_peer *p,
		 const struct ow_br_frame *f, const char *payload)
{
	struct ow_br_call *c = NULL, *ended = NULL;
	struct ow_br_partial *whole = NULL;
	bool large = f->total > f->len;

	pthread_mutex_lock(&cs->peers->lock);
	p->lane[OW_BR_REPLIES].taken += f->len + OW_BR_COST;
	HASH_FIND(hh, cs->calls, &f->id, sizeof(f->id), c);
	if (c != NULL && c->peer != p)
		c = NULL;
	if (c != NULL && large)
		whole = ow_br_collect(cs->peers, p, &c->partial, f, payload);
	if (c != NULL && (!large || whole != NULL ||
			  (c->partial == NULL && f->offset == 0)))
		end_call(cs, c, TPEOS, &ended);
	if (ended != NULL) {
		p->errors += f->tperr != 0;
		ow_br_time_note(ended->time, ended->begun_ns, f->tperr != 0);
	}
	if (whole != NULL)
		ow_br_partial_whole(cs->peers, whole);
	pthread_mutex_unlock(&cs->peers->lock);
	if (ended == NULL)
		return;
	if (!large)
		answer(cs, ended, f, payload);
	else if (whole != NULL)
		answer(cs, ended, &whole->frame, whole->payload);
	else
		ow_br_calls_answer(cs, ended); /* no memory */
	free(whole);
}
