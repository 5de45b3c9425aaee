/* SPDX-License-Identifier: Apache-2.0 */
/*
 * post.c - send messages to the other end of a conversation
 */
#include "libatmi/converse/ends/post.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "libatmi/base/fault.h"
#include "libatmi/converse/ends/conversation.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/transport.h"

#define PRIO 50u /* as of replies: what was sent first comes first */

static bool is_there(const struct ow_convs *ts,
		     const struct ow_conv_other *other)
{
	return ow_clt_lives(ts->dom->tables, other->slot, other->gen);
}

bool ow_conv_is_there(const struct ow_convs *ts, const struct ow_conv *t)
{
	return is_there(ts, &t->other);
}

bool ow_conv_lives(const struct ow_convs *ts, const struct ow_conv *t)
{
	return ow_conv_is_there(ts, t) && t->other.process != 0 &&
	       ow_tables_lives(ts->dom->tables, t->other.process);
}

int ow_conv_reach(struct ow_convs *ts, struct ow_conv *t)
{
	if (t->queue != NULL)
		return 0;
	if (!ow_conv_is_there(ts, t))
		return OW_QUEUE_GONE;
	return ow_queue_open(ts->dom, ow_mailbox(t->other.slot), &t->queue);
}

static void address(const struct ow_convs *ts,
		    const struct ow_conv_other *other, struct ow_msg *m)
{
	memset(m, 0, sizeof(*m));
	m->magic = OW_MSG_MAGIC;
	m->version = OW_MSG_VERSION;
	m->kind = OW_MSG_CONV;
	m->buftype = OW_BUF_NULL;
	m->clt_slot = other->slot;
	m->clt_gen = other->gen;
	m->cd = other->cd;
	m->seq = other->seq;
	m->conv.from_slot = ts->slot;
	m->conv.from_gen = ts->gen;
}

static void fill(const struct ow_convs *ts, const struct ow_conv *t,
		 enum ow_conv_op op, struct ow_msg *m)
{
	address(ts, &t->other, m);
	m->conv_op = (uint8_t)op;
	m->svc = t->svc;
	m->urcode = t->cd + 1;
	m->conv.from_seq = t->seq;
	m->conv.number = t->sent;
	m->conv.taken = t->taken;
}

void ow_conv_head(const struct ow_convs *ts, const struct ow_conv *t,
		  struct ow_msg *m)
{
	fill(ts, t, OW_CONV_DATA, m);
	m->conv.number = t->sent + 1;
}

/* What was said of the fetched messages has arrived, or will. */
static void note_told(struct ow_conv *t, const struct ow_msg *m)
{
	t->told = m->conv.taken;
	t->untold = 0;
}

int ow_conv_post(struct ow_convs *ts, struct ow_conv *t, struct ow_envelope *e,
		 uint64_t deadline)
{
	int r;

	OW_FAULT("conv.post");
	r = ow_queue_send(t->queue, e, PRIO, deadline);
	if (r != 0)
		return r;
	OW_FAULT("conv.posted");
	ow_conv_sent(t, e->head->len);
	note_told(t, e->head);
	return 0;
}

/* ---- messages without data ---- */

/* Queue the message, or, if it must come, postpone it: 0, FULL, -errno. */
static int tell(struct ow_convs *ts, struct ow_queue *q, struct ow_msg *m,
		bool must_come)
{
	struct ow_envelope e;
	int r;

	ow_envelope_init(&e, m, sizeof(*m), ts->dom->blocks);
	OW_FAULT("conv.tell");
	r = ow_queue_send(q, &e, PRIO, OW_DEADLINE_NOW);
	OW_FAULT("conv.told");
	if (r == 0 || !must_come)
		return r;
	return ts->dom->transport->postpone(ts->dom, &e);
}

static int tell_other(struct ow_convs *ts, struct ow_conv *t,
		      enum ow_conv_op op)
{
	struct ow_msg m;
	int r = ow_conv_reach(ts, t);

	if (r != 0)
		return r;
	fill(ts, t, op, &m);
	r = tell(ts, t->queue, &m, op != OW_CONV_TAKEN);
	if (r == 0)
		note_told(t, &m);
	return r;
}

int ow_conv_accept(struct ow_convs *ts, struct ow_conv *t)
{
	return tell_other(ts, t, OW_CONV_ACCEPT);
}

void ow_conv_acknowledge(struct ow_convs *ts, struct ow_conv *t)
{
	tell_other(ts, t, OW_CONV_TAKEN);
}

void ow_conv_hang_up(struct ow_convs *ts, struct ow_conv *t)
{
	int r;

	if (t->state != OW_CONV_OPEN)
		return;
	r = tell_other(ts, t, OW_CONV_END);
	if (r < 0)
		log_warn("conversation %d: its other end is not told that it "
			 "is over: %s", t->cd, strerror(-r));
}

void ow_convs_hang_up(struct ow_convs *ts)
{
	int cd;

	for (cd = 0; ts != NULL && cd < ts->n; cd++)
		if (ts->conv[cd] != NULL)
			ow_conv_hang_up(ts, ts->conv[cd]);
}

/* Only an acceptance must be answered: its sender has heard of no end. To
 * others the end is under way already. */
void ow_conv_refuse(struct ow_convs *ts, const struct ow_msg *m)
{
	struct ow_conv_other other = { .slot = m->conv.from_slot,
				       .gen = m->conv.from_gen,
				       .cd = (int32_t)m->urcode,
				       .seq = m->conv.from_seq };
	struct ow_queue *q = NULL;
	struct ow_msg answer;

	if ((m->conv_op != OW_CONV_ACCEPT && m->conv_op != OW_CONV_DATA) ||
	    other.cd <= 0 || !is_there(ts, &other) ||
	    ow_queue_open(ts->dom, ow_mailbox(other.slot), &q) != 0)
		return;
	address(ts, &other, &answer);
	answer.conv_op = OW_CONV_END;
	/* The answer comes from the end that the message looked for. */
	answer.conv.from_seq = m->seq;
	tell(ts, q, &answer, m->conv_op == OW_CONV_ACCEPT);
	ow_queue_close(q);
}
