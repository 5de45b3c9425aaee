/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrive.c - the delivery thread brings requests of other nodes
 *
 * Those of one message go to the inbound thread together.
 */
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "servers/bridge/in/inbound.h"
#include "servers/bridge/in/inside.h"
#include "servers/bridge/in/reply.h"
#include "servers/bridge/in/request.h"
#include "servers/bridge/out/refuse.h"
#include "servers/bridge/peers/parts.h"
#include "servers/bridge/peers/send.h"

/* The request is whole: it goes to the thread with the others of its message,
 * or, if it is in a transaction, when that was asked for. */
static void accept(struct ow_br_inbound *in, const struct ow_br_frame *f,
		   const char *payload, uint64_t cost,
		   const struct ow_br_caller *caller)
{
	struct ow_br_item *i;

	if (f->kind == OW_BR_CONNECT) {
		in->above->connect(in->above->arg, f, payload, cost, caller);
		return;
	}
	i = ow_br_item_new(&in->arriving.from, f, payload, cost, caller);
	if (i == NULL) {
		in->arriving.lost++;
		return;
	}
	i->half = ow_br_unplaced_add(&in->peers->unplaced);
	i->held = (f->flags & OW_BR_IN_TRAN) != 0 && f->kind == OW_BR_REQUEST;
	i->refused = ow_br_request_name(in->peers, i->node,
					&i->frame, i->payload);
	in->arriving.n++;
	if (i->held && in->above->check(in->above->arg, i->node, &i->frame, i))
		return;
	if (i->held)
		i->refused = TPEOS;
	*in->arriving.last = i;
	in->arriving.last = &i->next;
}

void ow_br_requests_begin(struct ow_br_inbound *in, struct ow_br_peer *p)
{
	if (in == NULL)
		return; /* a test without */
	in->arriving.first = NULL;
	in->arriving.last = &in->arriving.first;
	in->arriving.n = in->arriving.lost = 0;
	in->arriving.caller.login[0] = '\0';
	in->arriving.from = (struct ow_br_origin){ .peer = p,
						   .epoch = p->epoch };
}

/* What has come, from *first to the one with `last`, is the thread's. */
static void pass_on(struct ow_br_inbound *in, struct ow_br_item *first,
		    struct ow_br_item **last)
{
	pthread_mutex_lock(&in->lock);
	*in->last = first;
	in->last = last;
	if (in->asleep && in->ready) {
		in->asleep = false;
		ow_br_wakeup_send(&in->wakeup);
	}
	pthread_mutex_unlock(&in->lock);
}

void ow_br_request_held(struct ow_br_inbound *in, void *held, int tperr)
{
	struct ow_br_item *i = held;

	i->refused = tperr;
	i->next = NULL;
	pass_on(in, i, &i->next);
}

void ow_br_requests_end(struct ow_br_inbound *in)
{
	struct ow_br_peer *p;

	if (in == NULL)
		return;
	p = in->arriving.from.peer;
	pthread_mutex_lock(&in->peers->lock);
	p->calls_in += in->arriving.n;
	p->lost += in->arriving.lost;
	pthread_mutex_unlock(&in->peers->lock);
	if (in->arriving.first != NULL)
		pass_on(in, in->arriving.first, in->arriving.last);
}

void ow_br_request(struct ow_br_inbound *in, const struct ow_br_frame *f,
		   const char *payload)
{
	struct ow_br_origin from = in->arriving.from;
	uint64_t cost = f->len + OW_BR_COST;
	struct ow_br_partial *whole = NULL, *part;
	struct ow_br_caller caller = in->arriving.caller;
	bool refused = false;

	in->arriving.caller.login[0] = '\0';
	if (f->kind == OW_BR_CALLER) {
		memcpy(&in->arriving.caller, payload, sizeof(caller));
		return;
	}
	if (f->kind != OW_BR_PART && f->len == f->total) {
		accept(in, f, payload, cost, &caller);
		return;
	}
	pthread_mutex_lock(&in->peers->lock);
	if (ow_br_is_wanted(&from)) {
		/* Its bytes are bounded by what may be partial, and what is
		 * whole by what may wait. */
		if (from.peer->held > OW_BR_HELD)
			from.peer->withheld += cost;
		else
			from.peer->lane[OW_BR_REQUESTS].taken += cost;
		whole = ow_br_collect(in->peers, from.peer, &from.peer->partial,
				      f, payload);
		part = ow_br_partial_find(from.peer->partial, f);
		refused = whole == NULL && f->offset == 0 && part == NULL;
		if (f->offset == 0 && part != NULL)
			part->caller = caller;
	}
	if (whole != NULL)
		accept(in, &whole->frame, whole->payload, 0, &whole->caller);
	ow_br_partial_free(in->peers, whole);
	pthread_mutex_unlock(&in->peers->lock);
	from.id = f->id;
	if (refused)
		ow_br_reply_error(in->peers, &from,
				  ow_br_error_of(f->flags, TPELIMIT),
				  "it is too large for what is under way");
}
