/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpconnect.c - begin a conversation with a service
 *
 * The request goes the way of every request (request.c) and has no deadline of
 * its own: it stays on record for as long as the conversation lasts, so that
 * the death of the server is news whenever it comes. The server finds the
 * deadline of tpconnect() in another word, and accepts no later.
 */
#include <stdatomic.h>
#include <xatmi.h>

#include "libatmi/base/probe.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/converse/converse.h"
#include "libatmi/call/deliver.h"
#include "libatmi/call/life.h"
#include "libatmi/call/request.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/slot.h"
#include "libatmi/call/timeout.h"
#include "libatmi/call/spans.h"
#include "libatmi/converse/ends/post.h"
#include "libatmi/converse/ends/conversation.h"
#include "libubf/base/compatible.h"

#define DIRECTIONS (TPSENDONLY | TPRECVONLY)

/* The parts of the request that only conversations have. */
static void fill_origin(struct ow_ctx *c, const struct ow_request *rq,
			struct ow_msg *m)
{
	uint64_t tran = rq->flags & TPNOTRAN ? 0 : c->tran;

	*m = (struct ow_msg){ .flags = ((uint32_t)rq->flags & ~OW_MSG_PRIVATE) |
				       TPCONV,
			      .clt_slot = c->slot,
			      .clt_gen = c->gen,
			      .urcode = (int64_t)rq->deadline,
			      .conv_op = OW_CONV_CONNECT };
	if (tran != 0) {
		m->flags |= OW_MSG_CONV_TRAN;
		m->tran = tran;
		m->tran_log = c->tran_log;
	}
	ow_trace_stamp(&c->trace, m);
}

/* Queue the request: 0 with the conversation, or -1 with tperrno. */
static int send_request(struct ow_ctx *c, struct ow_request *rq,
			struct ow_conv **ret)
{
	struct ow_conv *t;
	struct ow_msg origin;

	if (ow_ctx_need_domain(c) != 0)
		return c->guest == NULL ? -1 : ow_tp_fail(
			TPEPROTO, "the domain is another user's: guests call, "
			"they do not converse");
	rq->begin_ns = ow_clock_mono_ns();
	rq->deadline = ow_timeout_deadline(c, rq->flags, rq->begin_ns);
	if (ow_slot_need(c) != 0)
		return -1;
	fill_origin(c, rq, &origin);
	if (ow_converse_begin(c, true, &origin, &t) != 0)
		return -1;
	t->tran = ow_msg_tran(&origin);
	origin.cd = t->cd + 1;
	origin.seq = t->seq;
	rq->origin = &origin;
	if (ow_request_send(c, rq) != 0) {
		ow_conv_drop(c->convs, t);
		return -1;
	}
	ow_ctx_count_call(c);
	if (ow_span_is_on())
		t->span = ow_traced_conversation(c, rq->svc, &origin);
	if (t->span != NULL)
		t->span->begin_ns = rq->begin_ns;
	*ret = t;
	return 0;
}

/* Did it end before it began? */
static bool is_refused(const struct ow_conv *t)
{
	const struct ow_msg *m = t->end.head;

	return t->other.seq == 0 && t->state == OW_CONV_OVER &&
	       (m == NULL || (m->tperr != 0 && m->tperr != TPESVCFAIL));
}

/* tpurcode says that no server has begun it: -1. */
static int fail_unbegun(void)
{
	ow_tp_unbegun();
	return -1;
}

/* 1 + the service, if it is served here; 0. */
static uint32_t service_of(const struct ow_tables *t, const char *name)
{
	int at = ow_svc_find(t, name);

	return at >= 0 && atomic_load(&t->svc[at].nsrv) > 0 ? (uint32_t)at + 1
							     : 0;
}

/* Wait until a server has accepted: the descriptor, or -1 with tperrno. */
static int await_server(struct ow_ctx *c, const struct ow_request *rq,
			struct ow_conv *t)
{
	bool direct = false, unbegun;
	int r = 0;

	t->called = service_of(c->dom->tables, rq->svc);
	while (r == 0 && t->state == OW_CONV_CALLING) {
		r = ow_converse_wait(c, t, rq->deadline, &direct);
		if (r == OW_QUEUE_SIGNAL && (rq->flags & TPSIGRSTRT))
			r = 0;
	}
	ow_converse_waited(c, t);
	if (r == 0 && !is_refused(t))
		return t->cd;
	if (r != 0)
		ow_converse_fail(c, r, "a server of the service");
	else if (t->end.head != NULL)
		ow_deliver_error(t->end.head, t->end.payload.data);
	else
		ow_tp_fail(TPESVCERR, "the server did not begin");
	unbegun = r == 0 && t->end.head != NULL &&
		  t->end.head->urcode == OW_URCODE_UNBEGUN;
	ow_conv_hang_up(c->convs, t); /* it may just have been accepted */
	ow_conv_drop(c->convs, t);
	if (r == 0)
		ow_ctx_answer_failed(c, rq->flags);
	else
		ow_ctx_work_lost(c, rq->flags);
	return unbegun ? fail_unbegun() : -1;
}

/* Are these flags of tpconnect()? 0, or -1 with tperrno. */
static int check_flags(long flags)
{
	if ((flags & DIRECTIONS) == DIRECTIONS)
		return ow_tp_fail(TPEINVAL, "TPSENDONLY and TPRECVONLY: one of "
				  "both");
	if ((flags & DIRECTIONS) == 0 && ow_compat_tuxedo())
		return ow_tp_fail(TPEINVAL, "neither TPSENDONLY nor TPRECVONLY "
				  "(NDRX_COMPAT is strict-tuxedo)");
	if (flags & TPNOREPLY)
		return ow_tp_fail(TPEINVAL, "TPNOREPLY: a conversation ends "
				  "with a reply");
	return 0;
}

int tpconnect(char *svc, char *data, long len, long flags)
{
	OW_SHARED;
	struct ow_conv *t = NULL;
	struct ow_request rq;
	struct ow_ctx *c;

	OW_PROBE2(call, svc, flags);
	ow_tp_clear();
	c = check_flags(flags) == 0 ? ow_ctx_get() : NULL;
	if (c == NULL || ow_request_begin(&rq, svc, data, len) != 0)
		return fail_unbegun();
	rq.flags = flags | c->sig_flag;
	/* While it waits, the thread may be cancelled: it owns nothing then. */
	if (ow_request_end(&rq, send_request(c, &rq, &t)) != 0) {
		(void)ow_ctx_unsent(c, flags);
		return fail_unbegun();
	}
	return await_server(c, &rq, t);
}
