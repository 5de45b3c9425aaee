/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.c - what the library itself asks a server: sent, awaited, answered
 */
#include "libatmi/call/system.h"

#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/await.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/deliver.h"
#include "libatmi/call/guest.h"
#include "libatmi/call/life.h"
#include "libatmi/call/request.h"
#include "libatmi/call/slot.h"
#include "libatmi/door/rules.h"

/* ---- what is the program's ---- */

/* What a request uses up, and leaves for tpgprio(). */
struct set_aside {
	enum ow_priority_set set;
	int value, last;
};

static struct set_aside set_aside(struct ow_ctx *c)
{
	struct set_aside was = { c->prio_set, c->prio_value, c->prio_last };

	c->prio_set = OW_PRIORITY_NONE;
	return was;
}

static void put_back(struct ow_ctx *c, const struct set_aside *was)
{
	c->prio_set = was->set;
	c->prio_value = was->value;
	c->prio_last = was->last;
}

/* ---- sent ---- */

static void compose(const struct ow_system_call *q, struct ow_request *rq)
{
	(void)ow_request_begin(rq, q->svc, NULL, 0); /* the name is ours */
	rq->flags = q->flags;
	rq->begin_ns = ow_clock_mono_ns();
	rq->deadline = q->deadline;
	rq->how = q->vouched ? OW_REQUEST_VOUCHED : 0;
	rq->piece = q->piece;
	rq->n_pieces = q->n;
	rq->data.info.type = OW_BUF_CARRAY;
}

static int send_one(struct ow_ctx *c, struct ow_request *rq)
{
	struct set_aside was = set_aside(c);
	int r = ow_request_send(c, rq);

	put_back(c, &was);
	if (r == 0 && c->has_slot)
		ow_ctx_count_call(c);
	return r;
}

int ow_system_send(struct ow_ctx *c, struct ow_system_call *q)
{
	struct ow_request rq;

	compose(q, &rq);
	if (ow_slot_need(c) != 0)
		return -1;
	rq.cd = ow_call_new(c, &rq.seq);
	if (rq.cd == 0)
		return ow_tp_fail(TPELIMIT, "all descriptors are in use");
	if (send_one(c, &rq) != 0) {
		ow_call_drop(c, rq.cd);
		return -1;
	}
	q->cd = rq.cd;
	q->begin_ns = rq.begin_ns;
	return 0;
}

/* ---- answered ---- */

void ow_system_drop(struct ow_ctx *c, struct ow_system_call *q)
{
	ow_call_drop(c, q->cd);
	q->cd = 0;
}

/* It was sent: whatever ends the wait, what it did is not known. TPEOS would say
 * that it is not done. */
static int fail_wait(struct ow_ctx *c, struct ow_system_call *q, int r)
{
	char reason[64];

	if (r != OW_QUEUE_TIMEOUT) {
		ow_tp_fail(TPESVCERR, "waiting for the answer of %s: %s: what "
			   "it did is not known", q->svc,
			   strerror_r(-r, reason, sizeof(reason)));
	} else {
		ow_count_shared(&c->clt->timeouts, 1);
		ow_tp_fail(TPETIME, "%s does not answer", q->svc);
	}
	ow_system_drop(c, q);
	return -1;
}

/* TPEOS of a server that has begun says that its answer found no room, not that
 * nothing was done. */
static int read_answer(struct ow_envelope *e, struct ow_system_answer *ret)
{
	const struct ow_msg *m = e->head;

	if (m->tperr == TPEOS && m->urcode != OW_URCODE_UNBEGUN)
		return ow_tp_fail(TPESVCERR, "there was no room for an answer: "
				  "what was done is not known");
	if (m->tperr != 0 && m->tperr != TPESVCFAIL)
		return ow_deliver_error(m, e->payload.data);
	if (m->len > 0 && e->payload.data == NULL)
		return ow_tp_fail(TPESYSTEM, "the reply's block is gone");
	ret->data = e->payload.data;
	ret->len = m->len;
	ret->urcode = m->urcode;
	return m->tperr == 0 ? 0 : ow_deliver_error(m, e->payload.data);
}

int ow_system_await(struct ow_ctx *c, struct ow_system_call *q, bool signals,
		    struct ow_system_answer *ret)
{
	struct ow_envelope *reply = NULL;
	int r, cd = 0;

	*ret = (struct ow_system_answer){ .data = NULL };
	do {
		r = ow_await_reply(c, q->cd, q->begin_ns, q->deadline, &cd,
				   &reply);
	} while (r == OW_QUEUE_SIGNAL && !signals);
	if (r == OW_QUEUE_SIGNAL)
		return OW_SYSTEM_SIGNAL;
	if (r != 0)
		return fail_wait(c, q, r);
	ret->reply = reply;
	ret->cd = cd;
	return read_answer(reply, ret);
}

void ow_system_done(struct ow_ctx *c, struct ow_system_answer *a)
{
	struct ow_envelope *e = a->reply;

	if (e == NULL)
		return;
	if (e == &c->in && e->payload.owner == OW_PAYLOAD_OWNED)
		ow_envelope_release(e);
	ow_call_drop(c, a->cd); /* closes a kept reply */
	a->reply = NULL;
}

/* ---- of a guest ---- */

/* The pieces as one payload, to be freed, for the connection to the gate;
 * false: no memory. */
static bool join_pieces(const struct ow_system_call *q, struct ow_request *rq)
{
	struct ow_content *k = &rq->data.content;
	size_t len = 0;
	unsigned int i;
	char *to;

	for (i = 0; i < q->n; i++)
		len += q->piece[i].iov_len;
	to = malloc(len + 1);
	if (to == NULL)
		return false;
	*k = (struct ow_content){ .type = OW_BUF_CARRAY,
				  .payload = { .data = to, .len = len } };
	for (i = 0; i < q->n; i++) {
		if (q->piece[i].iov_len > 0)
			memcpy(to, q->piece[i].iov_base, q->piece[i].iov_len);
		to += q->piece[i].iov_len;
	}
	return true;
}

/* Through the gate: an answer has no data. */
static int call_as_guest(struct ow_ctx *c, struct ow_system_call *q,
			 struct ow_system_answer *ret)
{
	long len = 0, urcode = tpurcode;
	struct set_aside was;
	struct ow_request rq;
	char *data = NULL;
	int r;

	compose(q, &rq);
	if (!join_pieces(q, &rq))
		return ow_tp_fail(TPEOS, "no memory for a question");
	was = set_aside(c);
	r = ret != NULL ? ow_guests()->call(c, &rq, &data, &len)
			: ow_guests()->send(c, &rq);
	put_back(c, &was);
	if (ret != NULL)
		ret->urcode = tpurcode;
	tpurcode = urcode;
	if (data != NULL)
		ow_buf_free(data);
	free(rq.data.content.payload.data);
	return r;
}

/* ---- whole calls ---- */

int ow_system_call(struct ow_ctx *c, struct ow_system_call *q,
		   struct ow_system_answer *ret)
{
	int r;

	ow_tp_clear();
	*ret = (struct ow_system_answer){ .data = NULL };
	r = ow_ctx_need_domain(c);
	if (r == OW_CTX_GUEST)
		return call_as_guest(c, q, ret);
	if (r != 0 || ow_system_send(c, q) != 0)
		return -1;
	r = ow_system_await(c, q, (q->flags & TPSIGRSTRT) == 0, ret);
	if (r != OW_SYSTEM_SIGNAL)
		return r;
	ow_system_drop(c, q);
	return ow_tp_fail(TPGOTSIG, "signal while waiting for %s: what it did "
			  "is not known", q->svc);
}

int ow_system_tell(struct ow_ctx *c, struct ow_system_call *q)
{
	struct ow_request rq;
	int r;

	ow_tp_clear();
	r = ow_ctx_need_domain(c);
	q->flags |= TPNOREPLY;
	if (r == OW_CTX_GUEST)
		return call_as_guest(c, q, NULL);
	if (r != 0)
		return -1;
	/* Where rules hold, servers want to know who asks. */
	if (!c->has_slot && ow_rules_guards(c->dom) != 0 &&
	    ow_slot_need(c) != 0)
		return -1;
	compose(q, &rq);
	return send_one(c, &rq);
}
