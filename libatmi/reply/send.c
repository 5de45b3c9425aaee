/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send.c - send the reply to a request, or postpone it
 *
 * Station 7 of a call: after tpreturn.c, before the caller's await.c.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/probe.h"
#include "libatmi/domain/tables.h"
#include "libatmi/reply/reply.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/transport.h"
#include "libatmi/wire/cause.h"

#define PRIO	    50u			 /* of all replies */
#define LIVENESS_NS (200 * OW_NS_PER_MS) /* between checks of a slow client */

#define KEPT	    16u

/* Queue objects of mailboxes, by slot: making one costs more than a look. */
struct ow_replier {
	struct ow_domain *dom;
	struct {
		uint32_t slot;
		struct ow_queue *queue; /* NULL: none */
	} kept[KEPT];
};

int ow_replier_open(struct ow_domain *d, struct ow_replier **ret)
{
	struct ow_replier *rp = calloc(1, sizeof(*rp));

	if (rp == NULL)
		return -ENOMEM;
	rp->dom = d;
	*ret = rp;
	return 0;
}

struct ow_replier *ow_replier_close(struct ow_replier *rp)
{
	uint32_t i;

	for (i = 0; rp != NULL && i < KEPT; i++)
		ow_queue_close(rp->kept[i].queue);
	free(rp);
	return NULL;
}

/* Is the client still there that waits for a reply with this header? */
static bool client_lives(const struct ow_domain *d, const struct ow_msg *m)
{
	return ow_clt_lives(d->tables, m->clt_slot, m->clt_gen);
}

/* The mailbox of a client slot: 0 with *ret, UNWANTED or -errno. *ret_own:
 * the caller closes it. */
static int open_queue(struct ow_domain *d, struct ow_replier *rp,
		      uint32_t slot, struct ow_queue **ret, bool *ret_own)
{
	uint32_t at = slot % KEPT;
	int r;

	*ret_own = rp == NULL;
	if (rp != NULL && rp->kept[at].queue != NULL &&
	    rp->kept[at].slot == slot) {
		*ret = rp->kept[at].queue;
		return 0;
	}
	r = ow_queue_open(d, ow_mailbox(slot), ret);
	if (r != 0 || rp == NULL)
		return r == OW_QUEUE_GONE ? OW_REPLY_UNWANTED : r;
	ow_queue_close(rp->kept[at].queue);
	rp->kept[at].queue = *ret;
	rp->kept[at].slot = slot;
	return 0;
}

/* A header is copied in a few steps, but cleared by an instruction that takes
 * long to begin. */
static const struct ow_msg blank = { .magic = OW_MSG_MAGIC,
				     .version = OW_MSG_VERSION,
				     .kind = OW_MSG_REPLY,
				     .buftype = OW_BUF_NULL };

static void fill_head(const struct ow_reply *reply, struct ow_msg *m)
{
	const struct ow_msg *rq = reply->request;

	memcpy(m, &blank, sizeof(*m));
	m->svc = rq->svc;
	m->clt_slot = rq->clt_slot;
	m->clt_gen = rq->clt_gen;
	m->cd = rq->cd;
	m->seq = rq->seq;
	memcpy(m->trace_id, rq->trace_id, sizeof(m->trace_id));
	memcpy(m->span_id, rq->span_id, sizeof(m->span_id));
	m->deadline_ns = rq->deadline_ns;
	m->tperr = reply->tperr;
	m->urcode = reply->urcode;
	if (reply->is_long)
		m->flags = OW_MSG_LONG;
}

/* Queue the reply before the deadline, checking now and then that the client
 * is still there. FULL: it is, and its queue is full. */
static int push(struct ow_domain *d, struct ow_queue *q, struct ow_envelope *e,
		uint64_t deadline)
{
	uint64_t until = deadline;
	int r;

	for (;;) {
		if (deadline != OW_DEADLINE_NOW)
			until = ow_deadline_clamp(
			    deadline, ow_clock_mono_ns() + LIVENESS_NS);
		OW_FAULT("reply.send");
		r = ow_queue_send(q, e, PRIO, until);
		if (r <= 0)
			return r;
		if (!client_lives(d, e->head))
			return OW_REPLY_UNWANTED;
		if (r == OW_QUEUE_FULL ||
		    (r == OW_QUEUE_TIMEOUT && until == deadline))
			return OW_REPLY_FULL;
	}
}

/* Do messages for this client wait for room already? */
static bool has_postponed(const struct ow_domain *d, const struct ow_msg *m)
{
	return ow_load_relaxed(&d->tables->clt[m->clt_slot].postponed) != 0;
}

/* Wait a moment for room, then postpone; wait until the deadline only when
 * there is no memory for that. */
static int push_or_postpone(struct ow_replier *rp, struct ow_queue *q,
			    struct ow_envelope *e, uint64_t deadline,
			    bool hurried)
{
	struct ow_domain *d = rp->dom;
	uint64_t until;
	int r = push(d, q, e, OW_DEADLINE_NOW);

	if (r != OW_REPLY_FULL)
		return r;
	until = hurried || has_postponed(d, e->head)
		    ? OW_DEADLINE_NOW /* no use in waiting again */
		    : ow_deadline_clamp(deadline,
					ow_clock_mono_ns() +
					    d->waking.postpone_ns);
	r = push(d, q, e, until);
	if (r != OW_REPLY_FULL || until == deadline)
		return r;
	return d->transport->postpone(d, e) == 0 ? OW_REPLY_POSTPONED
						 : push(d, q, e, deadline);
}

/* The payload of an error is its cause. Without memory for that it goes
 * without. */
__attribute__((noinline, cold)) static struct ow_content *
pack_cause(struct ow_envelope *e, const char *why, size_t msgsize,
	   struct ow_content *c)
{
	char text[OW_CAUSE_MAX];

	*c = (struct ow_content){ .type = OW_BUF_STRING };
	c->payload.data = text;
	c->payload.len = ow_cause_write(why, text);
	if (c->payload.len == 0)
		return NULL;
	if (ow_envelope_pack(e, c, msgsize, 0) == 0) {
		e->head->flags |= OW_MSG_CAUSE;
		c->payload.data = NULL; /* copied */
		return c;
	}
	e->head->buftype = OW_BUF_NULL;
	e->head->len = 0;
	e->payload = (struct ow_payload){ 0 };
	return NULL;
}

int ow_reply_send(struct ow_domain *d, struct ow_replier *rp,
		  const struct ow_reply *reply)
{
	union ow_envelope_memory room;
	struct ow_queue *q = NULL;
	struct ow_content *content = reply->content, why;
	struct ow_envelope e;
	bool own = false;
	int r;

	if (reply->request->cd == 0 ||
	    !client_lives(d, reply->request))
		return OW_REPLY_UNWANTED;
	r = open_queue(d, rp, reply->request->clt_slot, &q, &own);
	if (r != 0)
		return r;
	ow_envelope_init(&e, &room, sizeof(room), d->blocks);
	fill_head(reply, &room.head);
	if (reply->cause != NULL)
		content = pack_cause(&e, reply->cause, q->msgsize, &why);
	else if (content != NULL)
		r = ow_envelope_pack(&e, content, q->msgsize, 0);
	if (r == OW_ENVELOPE_NOROOM)
		r = OW_REPLY_NOROOM;
	if (r == 0) {
		OW_PROBE3(reply_sent, room.head.span_id, room.head.tperr,
			  room.head.len);
		if (rp != NULL && reply->deadline != OW_DEADLINE_NOW)
			r = push_or_postpone(rp, q, &e, reply->deadline,
					     reply->hurried);
		else
			r = push(d, q, &e, reply->deadline);
		if (r != 0 && r != OW_REPLY_POSTPONED && content != NULL)
			ow_envelope_unpack(&e, content);
	}
	if (own)
		ow_queue_close(q);
	return r;
}

int ow_reply_error(struct ow_domain *d, const struct ow_msg *request,
		   int tperr)
{
	struct ow_reply reply = { .request = request,
				  .tperr = tperr,
				  .deadline = OW_DEADLINE_NOW };

	return ow_reply_send(d, NULL, &reply);
}

int ow_reply_refuse(struct ow_domain *d, const struct ow_msg *request)
{
	struct ow_reply reply = { .request = request,
				  .tperr = TPESVCERR,
				  .deadline = OW_DEADLINE_NOW };

	/* One that was forwarded was begun by whoever did that. */
	if ((request->flags & OW_MSG_FORWARDED) == 0 &&
	    (request->tperr == TPENOENT || request->tperr == TPESVCERR)) {
		reply.tperr = request->tperr;
		reply.urcode = OW_URCODE_UNBEGUN;
	}
	return ow_reply_send(d, NULL, &reply);
}
