/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpcall.c - a synchronous call
 *
 * Station 1: where a call begins. Next: target.h (name to queue).
 */
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/probe.h"
#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/await.h"
#include "libatmi/call/cached.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/deliver.h"
#include "libatmi/call/guest.h"
#include "libatmi/call/life.h"
#include "libatmi/call/mib_call.h"
#include "libatmi/call/request.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/slot.h"
#include "libatmi/call/timeout.h"
#include "libatmi/call/spans.h"
#include "libubf/base/compatible.h"

/* idata is checked by ow_request_begin(). */
static int check_args(const char *idata, char **odata, long *olen)
{
	struct ow_buf_info info;

	if (odata == NULL || olen == NULL)
		return ow_tp_fail(TPEINVAL, "odata or olen is NULL");
	if (*odata != NULL && *odata != idata &&
	    ow_buf_find(*odata, &info) != 0)
		return ow_tp_fail(TPEINVAL, "*odata %p is not a buffer from "
				  "tpalloc(), or was freed", (void *)*odata);
	return 0;
}

/* Nothing was sent: tpurcode says that no server has begun it. */
static int unsent(void)
{
	ow_tp_unbegun();
	return -1;
}

/* Set tperrno when no reply came. After a time-out the call is dropped; after a
 * signal the reply can be fetched until the deadline. */
static int fail_wait(struct ow_ctx *c, const struct ow_request *rq, int r)
{
	if (r == OW_QUEUE_SIGNAL) {
		c->calls[rq->cd].tran = rq->flags & TPNOTRAN ? 0 : c->tran;
		ow_call_interrupted(c, rq->cd, rq->deadline);
		return ow_tp_fail(TPGOTSIG, "signal while waiting for a reply");
	}
	if (r == OW_SHARE_GONE)
		return ow_tp_fail(TPETRAN, "another thread has ended the "
				  "transaction of the call");
	if (r != OW_QUEUE_TIMEOUT) {
		ow_tp_fail_errno(r, "waiting for a reply");
	} else {
		ow_count_shared(&c->clt->timeouts, 1);
		ow_tp_fail(TPETIME, "no reply in time");
	}
	ow_call_drop(c, rq->cd);
	return -1;
}

/* No request was sent: -1 with tperrno, or what else the call is. */
__attribute__((noinline, cold)) static int
not_sent(struct ow_ctx *c, const struct ow_request *rq, char **odata,
	 long *olen)
{
	if (tperrno == TPENOENT && strcmp(rq->svc, ".TMIB") == 0 &&
	    ow_compat_tuxedo() && rq->data.buffer != NULL)
		return ow_mib_call(rq->data.buffer, odata, olen);
	(void)ow_ctx_unsent(c, rq->flags);
	return unsent();
}

/* Send the request and wait for its reply: 0, or -1 with tperrno. While it
 * waits, the thread may be cancelled: it owns nothing then. */
static int call(struct ow_ctx *c, struct ow_request *rq, char **odata,
		long *olen)
{
	struct ow_envelope *reply = NULL;
	int r, cd = 0;

	if (c->n_interrupted != 0)
		ow_call_expire(c, rq->begin_ns);
	rq->cd = ow_call_new(c, &rq->seq);
	if (rq->cd == 0) {
		ow_tp_fail(TPELIMIT, "all descriptors are in use");
		(void)ow_request_end(rq, -1);
		return unsent();
	}
	if (c->share != NULL && (rq->flags & TPNOTRAN) == 0)
		c->calls[rq->cd].tran = c->tran; /* another thread may end it */
	r = ow_request_end(rq, ow_request_send(c, rq));
	if (r != 0) {
		ow_call_drop(c, rq->cd);
		if (r < 0 && ow_span_is_on())
			ow_traced_unsent(c, rq);
		if (r == OW_REQUEST_ANSWERED)
			return ow_cached_deliver(c, odata, olen, rq->flags);
		return not_sent(c, rq, odata, olen);
	}
	ow_ctx_count_call(c);
	ow_ctx_did(c, OW_DONE_REQUEST);
	do {
		r = ow_await_reply(c, rq->cd, rq->queued_ns, rq->deadline, &cd,
				   &reply);
	} while (r == OW_QUEUE_SIGNAL && (rq->flags & TPSIGRSTRT));
	if (r != 0) {
		fail_wait(c, rq, r);
		return ow_ctx_unanswered(c, rq->flags);
	}
	if (rq->how & OW_REQUEST_KEEP)
		ow_cached_keep(c, rq->begin_ns, reply);
	return ow_deliver(c, cd, reply, odata, olen, rq->flags);
}

/* Flags that few calls have. TPTRANSUSPEND: the resource manager of this thread
 * leaves the transaction during the call, so that the service can work in the
 * same branch. */
__attribute__((noinline)) static int
call_unusual(char *svc, char *idata, long ilen, char **odata, long *olen,
	     long flags)
{
	OW_SHARED;
	struct ow_ctx *c = ow_ctx_peek();
	int r;

	if (flags & TPNOREPLY)
		return ow_tp_fail(TPEINVAL, "TPNOREPLY: use tpacall()");
	flags &= ~(long)TPTRANSUSPEND;
	if (c == NULL || c->tran == 0 || (flags & TPNOTRAN) != 0)
		return tpcall(svc, idata, ilen, odata, olen, flags);
	if (c->tran_hooks->leave(c) != 0)
		return -1;
	r = tpcall(svc, idata, ilen, odata, olen, flags);
	c->tran_hooks->come_back(c);
	return r;
}

__attribute__((noinline, cold)) static int
without(char *svc, char *idata, long ilen, char **odata, long *olen,
	long flags)
{
	bool due = ow_shared_is_due();
	OW_SHARED;

	return due ? tpcall(svc, idata, ilen, odata, olen, flags) : unsent();
}

int tpcall(char *svc, char *idata, long ilen, char **odata, long *olen,
	   long flags)
{
	struct ow_request rq;
	struct ow_ctx *c;

	OW_PROBE2(call, svc, flags);
	ow_tp_clear();
	if (flags & (TPNOREPLY | TPTRANSUSPEND))
		return call_unusual(svc, idata, ilen, odata, olen, flags);
	c = ow_ctx_get();
	if (c == NULL)
		return without(svc, idata, ilen, odata, olen, flags);
	if (check_args(idata, odata, olen) != 0 ||
	    ow_request_begin(&rq, svc, idata, ilen) != 0)
		return unsent();
	rq.flags = flags | c->sig_flag;
	rq.how = OW_REQUEST_CACHED;
	if (ow_ctx_need_domain(c) != 0)
		return ow_request_end(
			&rq, c->guest == NULL ? -1 : ow_guests()->call(
				c, &rq, odata, olen));
	rq.begin_ns = ow_clock_mono_ns();
	rq.deadline = ow_timeout_deadline(c, flags, rq.begin_ns);
	if (ow_slot_need(c) != 0) {
		(void)ow_request_end(&rq, -1);
		return unsent();
	}
	return call(c, &rq, odata, olen);
}
