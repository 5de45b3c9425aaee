/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpgetrply.c - fetch the reply of a tpacall()
 */
#include <xatmi.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/await.h"
#include "libatmi/call/cached.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/deliver.h"
#include "libatmi/call/guest.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/timeout.h"

static int check_args(struct ow_ctx *c, const int *cd, char *const *data,
		      long flags)
{
	struct ow_buf_info info;

	if (*data != NULL && ow_buf_find(*data, &info) != 0)
		return ow_tp_fail(TPEINVAL, "*data %p is not a buffer from "
				  "tpalloc(), or was freed", (void *)*data);
	if (flags & TPGETANY) {
		if (c->outstanding == 0 && (flags & TPNOBLOCK) != 0)
			ow_ctx_settle(c);
		if (c->outstanding == 0)
			return ow_tp_fail(flags & TPNOBLOCK ? TPEBLOCK
							    : TPEBADDESC, "no call is "
					  "outstanding");
		return 0;
	}
	if (*cd <= 0 || *cd >= OW_CD_MAX)
		return ow_tp_fail(TPEINVAL, "descriptor %d: give 1 to %d", *cd,
				  OW_CD_MAX - 1);
	if (ow_call_find(c, *cd) == NULL)
		return ow_tp_fail(TPEBADDESC, "descriptor %d is not of an "
				  "outstanding call", *cd);
	return 0;
}

/* No reply is there. A program that only looks sees the time-out of its
 * tpacall(), too, which ends the call; with a descriptor to wait for it sees
 * that of any call (*cd is 0). */
static int fail_empty(struct ow_ctx *c, int *ret_cd, int cd)
{
	uint64_t now = ow_clock_mono_ns();
	struct ow_call *call;

	if (cd == 0 && c->loop != NULL)
		cd = ow_call_overdue(c, now);
	call = ow_call_find(c, cd);
	if (call == NULL || !ow_deadline_passed(call->deadline, now)) {
		ow_ctx_settle(c);
		return ow_tp_fail(TPEBLOCK, "no reply is there");
	}
	*ret_cd = cd;
	ow_count_shared(&c->clt->timeouts, 1);
	ow_tp_fail(TPETIME, "no reply came within the time-out of the call, "
		   "which has ended");
	ow_call_drop(c, cd);
	return -1;
}

static int fail_wait(struct ow_ctx *c, int r)
{
	switch (r) {
	case OW_SHARE_GONE:
		return ow_tp_fail(TPEBADDESC, "another thread has fetched the "
				  "reply, cancelled the call, or ended its "
				  "transaction");
	case OW_QUEUE_SIGNAL:
		return ow_tp_fail(TPGOTSIG, "signal while waiting for a reply");
	case OW_QUEUE_TIMEOUT:
		ow_count_shared(&c->clt->timeouts, 1);
		return ow_tp_fail(TPETIME, "no reply in time");
	default:
		return ow_tp_fail_errno(r, "waiting for a reply");
	}
}

/* TPNOTRAN if the call is not of the transaction that the context is in. */
static long outside(const struct ow_ctx *c, int cd, long flags)
{
	return c->tran != 0 && (flags & TPGETANY) == 0 &&
		       c->calls[cd].tran != c->tran
		   ? TPNOTRAN
		   : 0;
}

/* Threads share the context: one may fetch any reply, or several one each. */
static int fetch(int *cd, char **data, long *len, long flags)
{
	int r;

	if (ow_share_fetch(ow_sharing, flags & TPGETANY ? OW_FETCH_ANY
							: OW_FETCH_ONE) != 0)
		return ow_tp_fail(TPEPROTO, "another thread waits for replies "
				  "of this context, one of both with TPGETANY");
	r = tpgetrply(cd, data, len, flags);
	ow_share_fetched(ow_sharing);
	return r;
}

__attribute__((noinline, cold)) static int without(int *cd, char **data,
						   long *len, long flags)
{
	bool due = ow_shared_is_due();
	OW_SHARED;

	if (!due)
		return -1;
	return ow_share_is_inside() ? fetch(cd, data, len, flags)
				    : tpgetrply(cd, data, len, flags);
}

int tpgetrply(int *cd, char **data, long *len, long flags)
{
	struct ow_envelope *reply = NULL;
	uint64_t deadline, now;
	struct ow_ctx *c;
	int r, got = 0;

	ow_tp_clear();
	if (cd == NULL || data == NULL || len == NULL)
		return ow_tp_fail(TPEINVAL, "cd, data or len is NULL");
	c = ow_ctx_get();
	if (c == NULL)
		return without(cd, data, len, flags);
	if (check_args(c, cd, data, flags) != 0)
		return -1;
	flags |= c->sig_flag;
	if (c->guest != NULL)
		return ow_guests()->getrply(c, cd, data, len, flags);
	flags |= outside(c, *cd, flags);
	now = flags & TPNOBLOCK ? 0 : ow_clock_mono_ns(); /* of a wait */
	deadline = ow_timeout_deadline(c, flags, now);
	if (flags & TPNOBLOCK)
		deadline = OW_DEADLINE_NOW;
	do {
		r = ow_await_reply(c, flags & TPGETANY ? 0 : *cd, now,
				   deadline, &got, &reply);
	} while (r == OW_QUEUE_SIGNAL && (flags & TPSIGRSTRT));
	if (r == OW_QUEUE_EMPTY) {
		fail_empty(c, cd, flags & TPGETANY ? 0 : *cd);
		return ow_ctx_unanswered(c, flags);
	}
	if (r != 0) {
		fail_wait(c, r);
		return ow_ctx_unanswered(c, flags);
	}
	*cd = got;
	if (c->calls[got].more != NULL)
		ow_cached_fulfil(c, got, reply);
	if (flags & TPGETANY)
		flags |= outside(c, got, 0);
	return ow_deliver(c, got, reply, data, len, flags);
}
