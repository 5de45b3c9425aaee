/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpacall.c - send a request and go on; tpcancel: forget it
 */
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/call/ctx.h"
#include "libatmi/base/probe.h"
#include "libatmi/call/request.h"
#include "libatmi/base/tperror.h"

int tpacall(char *svc, char *data, long len, long flags)
{
	struct ow_request rq;
	struct ow_ctx *c;

	OW_PROBE2(call, svc, flags);
	ow_tp_clear();
	c = ow_ctx_get();
	if (c == NULL || ow_request_check(&rq, svc, data, len) != 0 ||
	    ow_ctx_need_domain(c) != 0)
		return -1;
	rq.flags = flags;
	if ((flags & TPNOREPLY) == 0) {
		if (ow_ctx_need_reply_queue(c) != 0)
			return -1;
		rq.cd = ow_call_new(c, &rq.seq);
		if (rq.cd == 0)
			return ow_tp_fail(TPELIMIT, "all %d descriptors are "
					  "in use", OW_CD_MAX - 1);
	}
	rq.begin_ns = ow_clock_mono_ns();
	rq.deadline_ns = ow_ctx_deadline(c, flags, rq.begin_ns);
	if (ow_request_send(c, &rq) != 0) {
		ow_call_drop(c, rq.cd);
		return -1;
	}
	if (c->has_slot)
		ow_ctx_count_call(c);
	return rq.cd;
}

int tpcancel(int cd)
{
	struct ow_ctx *c;

	ow_tp_clear();
	if (cd <= 0 || cd >= OW_CD_MAX)
		return ow_tp_fail(TPEBADDESC, "descriptor %d", cd);
	c = ow_ctx_peek();
	if (c != NULL)
		ow_call_drop(c, cd); /* never given: nothing to do, 0 */
	return 0;
}
