/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpacall.c - an asynchronous call; tpcancel() abandons it
 */
#include <xatmi.h>

#include "libatmi/base/probe.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/cached.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/guest.h"
#include "libatmi/call/life.h"
#include "libatmi/call/request.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/slot.h"
#include "libatmi/call/stored.h"
#include "libatmi/call/timeout.h"
#include "libatmi/call/spans.h"
#include "libatmi/door/rules.h"
#include "libubf/base/compatible.h"

static int arrive_cached(struct ow_ctx *c, int cd)
{
	int r = ow_cached_arrive(c, cd);

	if (r == 0 && c->loop != NULL)
		c->loop->rouse(c);
	return r;
}

/* The descriptor is there: the same result. */
static int send_and_note(struct ow_ctx *c, struct ow_request *rq)
{
	int r = ow_request_send(c, rq);

	if (r == 0)
		ow_ctx_did(c, OW_DONE_REQUEST);
	if (r == 0 && c->has_slot)
		ow_ctx_count_call(c);
	if (r == 0 && c->has_slot && rq->cd == 0)
		ow_ctx_count_oneway(c);
	if (r == OW_REQUEST_STORED)
		return ow_stored_ask(c, rq);
	if (r == OW_REQUEST_ANSWERED)
		r = arrive_cached(c, rq->cd);
	else if (r == 0 && (rq->how & OW_REQUEST_KEEP))
		ow_cached_wish(c, rq->cd, rq->begin_ns);
	if (r != 0) {
		ow_call_drop(c, rq->cd);
		if (ow_span_is_on())
			ow_traced_unsent(c, rq);
		return ow_ctx_unsent(c, rq->flags);
	}
	if (rq->cd != 0) {
		c->calls[rq->cd].deadline = rq->deadline;
		c->calls[rq->cd].tran = rq->flags & TPNOTRAN ? 0 : c->tran;
		if (c->loop != NULL)
			c->loop->earliest = ow_deadline_clamp(
			    rq->deadline, c->loop->earliest);
	}
	return rq->cd;
}

/* One-way calls need no slot. But a context that makes many is to be in the
 * lists of clients, so with this many it takes one, if there is one. */
#define SEEN_FROM 16u

static void come_into_view(struct ow_ctx *c)
{
	if (c->has_slot || ++c->unseen < SEEN_FROM)
		return;
	if (ow_slot_need(c) != 0) {
		ow_tp_clear();
	} else {
		atomic_store(&c->clt->calls, c->unseen - 1);
		atomic_store(&c->clt->oneway, c->unseen - 1);
	}
	c->unseen = 0;
}

/* Send the request: its descriptor, 0 with TPNOREPLY, or -1 with tperrno. */
static int send_request(struct ow_ctx *c, struct ow_request *rq)
{
	if (ow_ctx_need_domain(c) != 0)
		return c->guest == NULL ? -1 : ow_guests()->send(c, rq);
	rq->begin_ns = ow_clock_mono_ns();
	rq->deadline = ow_timeout_deadline(c, rq->flags, rq->begin_ns);
	if (rq->flags & TPNOREPLY && c->tran != 0 &&
	    (rq->flags & TPNOTRAN) == 0)
		return ow_tp_fail(TPEINVAL, "TPNOREPLY inside a transaction "
				  "needs TPNOTRAN");
	if ((rq->flags & TPNOREPLY) == 0) {
		if (ow_slot_need(c) != 0)
			return -1;
		rq->cd = ow_call_new(c, &rq->seq);
		if (rq->cd == 0)
			return ow_tp_fail(TPELIMIT, "all %d descriptors are "
					  "in use", OW_CD_MAX - 1);
		rq->how |= OW_REQUEST_CACHED;
		return send_and_note(c, rq);
	}
	if (ow_rules_guards(c->dom) != 0 &&
	    (ow_slot_may_enter(c) != 0 ||
	     (!c->has_slot && ow_slot_need(c) != 0)))
		return -1; /* servers want to know who asks */
	come_into_view(c);
	rq->how |= OW_REQUEST_STORABLE;
	return send_and_note(c, rq);
}

__attribute__((noinline, cold)) static int without(char *svc, char *data,
						   long len, long flags)
{
	bool due = ow_shared_is_due();
	OW_SHARED;

	return due ? tpacall(svc, data, len, flags) : -1;
}

int tpacall(char *svc, char *data, long len, long flags)
{
	struct ow_request rq;
	struct ow_ctx *c;

	OW_PROBE2(call, svc, flags);
	ow_tp_clear();
	c = ow_ctx_get();
	if (c == NULL)
		return without(svc, data, len, flags);
	if (ow_request_begin(&rq, svc, data, len) != 0)
		return -1;
	rq.flags = flags | c->sig_flag;
	return ow_request_end(&rq, send_request(c, &rq));
}

int tpcancel(int cd)
{
	OW_SHARED;
	struct ow_ctx *c;

	ow_tp_clear();
	c = ow_ctx_peek();
	if (c == NULL || !ow_call_known(c, cd))
		return ow_compat_enduro()
			   ? 0
			   : ow_tp_fail(TPEBADDESC, "descriptor %d was never "
					"given", cd);
	if (ow_compat_tuxedo() && ow_call_find(c, cd) == NULL)
		return ow_tp_fail(TPEBADDESC, "the call of descriptor %d has "
				  "ended (NDRX_COMPAT is strict-tuxedo)", cd);
	if (ow_call_is_of(c, cd, c->tran))
		return ow_tp_fail(TPETRAN, "descriptor %d is of the transac"
				  "tion: its work cannot be called back", cd);
	if (c->guest != NULL)
		ow_guests()->cancel(c, cd);
	else
		ow_call_abandon(c, cd); /* no effect if it is not in use */
	return 0;
}
