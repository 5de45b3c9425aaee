/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - calls of a guest: a context whose domain is another user's
 *
 * They go through the gate (wire/frame.h), one operation at a time. The
 * descriptors are those of call/calls.h; the gate has its own for each of them.
 * After the connection has ended, each call that was outstanding is answered
 * with TPESYSTEM once, and the next call connects anew.
 */
#include "libatmi/call/guest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/deliver.h"
#include "libatmi/call/request.h"
#include "libatmi/call/timeout.h"
#include "libatmi/gate/guest/link.h"
#include "libatmi/gate/guest/login.h"

/* The head of a request: 0, or -1 with tperrno. */
static int compose(struct ow_ctx *c, struct ow_request *rq,
		   enum ow_frame_op op, struct ow_frame *f)
{
	const struct ow_content *data = &rq->data.content;
	struct ow_msg *m = &f->msg;

	if (rq->begin_ns == 0) { /* else the deadline is set, too */
		rq->begin_ns = ow_clock_mono_ns();
		rq->deadline = ow_timeout_deadline(c, rq->flags, rq->begin_ns);
	}
	ow_frame_init(f, op);
	m->flags = (uint32_t)rq->flags;
	m->deadline_ns = rq->deadline;
	m->buftype = data->type;
	m->sub_len = data->sub_len;
	m->len = data->sub_len + data->payload.len;
	ow_trace_stamp(&c->trace, m);
	f->prio_set = c->prio_set;
	f->prio = c->prio_value;
	c->prio_set = OW_PRIORITY_NONE;
	strcpy(f->text, rq->svc); /* 30 characters at most */
	if (m->len > OW_FRAME_PAYLOAD_MAX)
		return ow_tp_fail(TPELIMIT, "%llu bytes: a guest may send "
				  "%llu", (unsigned long long)m->len,
				  (unsigned long long)OW_FRAME_PAYLOAD_MAX);
	if (ow_frame_check(f, OW_MSG_REQUEST) != 0)
		return ow_tp_fail(TPENOENT, "service name \"%s\"", rq->svc);
	return 0;
}

/* A reply becomes the program's buffer; ends the call `cd` (0: none). */
static int deliver(struct ow_ctx *c, int cd, struct ow_guest_answer *a, char **data,
		   long *len, long flags)
{
	struct ow_envelope e;
	int r;

	if (a->head.op != OW_FRAME_REPLY) {
		ow_call_drop(c, cd);
		return ow_tp_fail(TPESYSTEM, "the gate's answer is no reply");
	}
	ow_envelope_init(&e, &a->head.msg, sizeof(a->head.msg), NULL);
	e.payload.data = a->payload != NULL ? a->payload : (void *)"";
	e.payload.len = a->head.msg.len;
	r = ow_deliver(c, cd, &e, data, len, flags);
	free(a->payload);
	return r;
}

static int call(struct ow_ctx *c, struct ow_request *rq, char **odata,
		long *olen)
{
	struct ow_frame f;
	struct ow_guest_answer a;

	if (compose(c, rq, OW_FRAME_CALL, &f) != 0 ||
	    ow_guest_ask(c, &f, &rq->data.content, &a) != 0)
		return -1;
	return deliver(c, 0, &a, odata, olen, rq->flags);
}

static int send_only(struct ow_ctx *c, struct ow_request *rq)
{
	struct ow_frame f;
	struct ow_guest_answer a;

	if (compose(c, rq, OW_FRAME_SEND, &f) != 0)
		return -1;
	if ((rq->flags & TPNOREPLY) == 0) {
		rq->cd = ow_call_new(c, &rq->seq);
		if (rq->cd == 0)
			return ow_tp_fail(TPELIMIT, "all %d descriptors are "
					  "in use", OW_CD_MAX - 1);
		c->guest->theirs[rq->cd] = 0;
	}
	if (ow_guest_ask(c, &f, &rq->data.content, &a) != 0) {
		ow_call_drop(c, rq->cd);
		return -1;
	}
	free(a.payload);
	if (rq->cd != 0 && a.head.msg.cd == 0) {
		ow_call_drop(c, rq->cd);
		return ow_guest_fail(c, -EBADMSG);
	}
	if (rq->cd != 0) {
		c->calls[rq->cd].deadline = rq->deadline;
		c->guest->theirs[rq->cd] = (uint16_t)a.head.msg.cd;
		c->guest->ours[a.head.msg.cd] = (uint16_t)rq->cd;
	}
	return rq->cd;
}

/* A call whose connection has ended: `cd`, or any if that is 0. 0: none. */
static int find_lost(const struct ow_ctx *c, int cd)
{
	int i;

	for (i = cd != 0 ? cd : 1; i < c->ncalls; i++) {
		if (c->calls[i].state == OW_CALL_WAITING &&
		    c->guest->theirs[i] == 0)
			return i;
		if (cd != 0)
			break;
	}
	return 0;
}

static void cancel(struct ow_ctx *c, int cd)
{
	struct ow_guest *g = c->guest;
	struct ow_frame f;
	struct ow_guest_answer a;

	if (ow_call_find(c, cd) == NULL)
		return;
	ow_frame_init(&f, OW_FRAME_CANCEL);
	f.msg.cd = g->theirs[cd];
	f.msg.deadline_ns = OW_DEADLINE_NOW;
	f.msg.flags = TPSIGRSTRT;
	ow_call_drop(c, cd);
	if (f.msg.cd == 0)
		return; /* lost */
	if (ow_guest_ask(c, &f, NULL, &a) == 0)
		free(a.payload);
	else
		ow_tp_clear();
}

/* The guest only looks for its reply, and the time-out of the call is over:
 * the call ends, as in tpgetrply.c. */
static int end_expired(struct ow_ctx *c, int cd)
{
	const struct ow_call *its = ow_call_find(c, cd);

	if (tperrno != TPEBLOCK || its == NULL ||
	    !ow_deadline_passed(its->deadline, ow_clock_mono_ns()))
		return -1;
	cancel(c, cd);
	return ow_tp_fail(TPETIME, "no reply came within the time-out of the "
			  "call, which has ended");
}

static int getrply(struct ow_ctx *c, int *cd, char **data, long *len,
		   long flags)
{
	struct ow_guest *g = c->guest;
	int got, want = flags & TPGETANY ? 0 : *cd;
	struct ow_frame f;
	struct ow_guest_answer a;

	got = g->has_lost ? find_lost(c, want) : 0;
	if (got != 0) {
		ow_call_drop(c, got);
		*cd = got;
		return ow_tp_fail(TPESYSTEM, "the gate has ended: what became "
				  "of call %d is not known", got);
	}
	ow_frame_init(&f, OW_FRAME_GET);
	f.msg.flags = (uint32_t)flags;
	f.msg.cd = want != 0 ? g->theirs[want] : 0;
	f.msg.deadline_ns = ow_timeout_deadline(c, flags, ow_clock_mono_ns());
	if (ow_guest_ask(c, &f, NULL, &a) != 0) {
		/* If the connection has ended: this is its one answer. */
		if (g->fd < 0 && want != 0 && tperrno != TPETIME)
			ow_call_drop(c, want);
		return end_expired(c, want);
	}
	got = g->ours[a.head.msg.cd];
	if (ow_call_find(c, got) == NULL || (want != 0 && got != want)) {
		free(a.payload);
		return ow_guest_fail(c, -EBADMSG);
	}
	*cd = got;
	return deliver(c, got, &a, data, len, flags);
}

const struct ow_guest_calls ow_guest_calls = {
	.join = ow_guest_join,
	.leave = ow_guest_leave,
	.forked = ow_guest_forked,
	.call = call,
	.send = send_only,
	.getrply = getrply,
	.cancel = cancel,
	.login_level = ow_login_level,
	.login = ow_login,
};
