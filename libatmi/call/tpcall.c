/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpcall.c - a synchronous call
 *
 * Station 1: where a call begins. Next: svcq.c (name to queue).
 */
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/call/ctx.h"
#include "libatmi/base/probe.h"
#include "libatmi/call/reply.h"
#include "libatmi/call/request.h"
#include "libatmi/base/tperror.h"

/* idata is looked at by ow_request_check(). */
static int check_args(const char *idata, char **odata, long *olen, long flags)
{
	struct ow_buf_info info;

	if (odata == NULL || olen == NULL)
		return ow_tp_fail(TPEINVAL, "odata or olen is NULL");
	if (flags & TPNOREPLY)
		return ow_tp_fail(TPEINVAL, "TPNOREPLY: use tpacall()");
	if (*odata != NULL && *odata != idata &&
	    ow_buf_find(*odata, &info) != 0)
		return ow_tp_fail(TPEINVAL, "*odata %p is not a buffer from "
				  "tpalloc(), or was freed", (void *)*odata);
	return 0;
}

/* Why no reply came. After a time-out the reply is wanted no more; after a
 * signal it can still be fetched. */
static int fail_wait(struct ow_ctx *c, int cd, int r)
{
	if (r == OW_QUEUE_SIGNAL)
		return ow_tp_fail(TPGOTSIG, "signal while waiting for a reply");
	ow_call_drop(c, cd);
	if (r != OW_QUEUE_TIMEOUT)
		return ow_tp_fail_errno(r, "waiting for a reply");
	atomic_fetch_add_explicit(&c->clt->timeouts, 1, memory_order_relaxed);
	return ow_tp_fail(TPETIME, "no reply in time");
}

int tpcall(char *svc, char *idata, long ilen, char **odata, long *olen,
	   long flags)
{
	struct ow_request rq;
	struct ow_ctx *c;
	int r, cd = 0;

	OW_PROBE2(call, svc, flags);
	ow_tp_clear();
	c = ow_ctx_get();
	if (c == NULL || check_args(idata, odata, olen, flags) != 0 ||
	    ow_request_check(&rq, svc, idata, ilen) != 0 ||
	    ow_ctx_need_domain(c) != 0 ||
	    ow_ctx_need_reply_queue(c) != 0)
		return -1;
	rq.flags = flags;
	rq.begin_ns = ow_clock_mono_ns();
	rq.deadline_ns = ow_ctx_deadline(c, flags, rq.begin_ns);
	rq.cd = ow_call_new(c, &rq.seq);
	if (rq.cd == 0)
		return ow_tp_fail(TPELIMIT, "all descriptors are in use");
	if (ow_request_send(c, &rq) != 0) {
		ow_call_drop(c, rq.cd);
		return -1;
	}
	ow_ctx_count_call(c);
	do {
		r = ow_reply_wait(c, rq.cd, rq.begin_ns, rq.deadline_ns, &cd);
	} while (r == OW_QUEUE_SIGNAL && (flags & TPSIGRSTRT));
	if (r != 0)
		return fail_wait(c, rq.cd, r);
	return ow_reply_deliver(c, cd, odata, olen, flags);
}
