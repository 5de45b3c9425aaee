/* SPDX-License-Identifier: Apache-2.0 */
/*
 * post.c - send messages to the other end of a conversation
 */
#include "libatmi/converse/post.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "libatmi/base/fault.h"
#include "libatmi/converse/talk.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/transport.h"

#define PRIO 50u /* as of replies: what was sent first comes first */

static bool is_there(const struct ow_talks *ts, const struct ow_talk_far *far)
{
	return ow_clt_lives(ts->dom->tables, far->slot, far->gen);
}

bool ow_talk_is_there(const struct ow_talks *ts, const struct ow_talk *t)
{
	return is_there(ts, &t->far);
}

bool ow_talk_lives(const struct ow_talks *ts, const struct ow_talk *t)
{
	return ow_talk_is_there(ts, t) && t->far.process != 0 &&
	       ow_tables_lives(ts->dom->tables, t->far.process);
}

/* The process has no descriptor left: those of other talks are opened again
 * when they are needed. */
static void give_up_queues(struct ow_talks *ts)
{
	int cd;

	for (cd = 0; cd < ts->n; cd++)
		if (ts->talk[cd] != NULL)
			ts->talk[cd]->queue =
			    ow_queue_close(ts->talk[cd]->queue);
}

int ow_talk_reach(struct ow_talks *ts, struct ow_talk *t)
{
	struct ow_queue_id id = ow_reply_queue(t->far.slot);
	int r;

	if (t->queue != NULL)
		return 0;
	if (!ow_talk_is_there(ts, t))
		return OW_QUEUE_GONE;
	r = ow_queue_open(ts->dom, id, &t->queue);
	if (r == -EMFILE || r == -ENFILE) {
		give_up_queues(ts);
		r = ow_queue_open(ts->dom, id, &t->queue);
	}
	return r;
}

static void address(const struct ow_talks *ts, const struct ow_talk_far *far,
		    struct ow_msg *m)
{
	memset(m, 0, sizeof(*m));
	m->magic = OW_MSG_MAGIC;
	m->version = OW_MSG_VERSION;
	m->kind = OW_MSG_TALK;
	m->buftype = OW_BUF_NULL;
	m->clt_slot = far->slot;
	m->clt_gen = far->gen;
	m->cd = far->cd;
	m->seq = far->seq;
	m->talk.from_slot = ts->slot;
	m->talk.from_gen = ts->gen;
}

static void fill(const struct ow_talks *ts, const struct ow_talk *t,
		 enum ow_talk_op op, struct ow_msg *m)
{
	address(ts, &t->far, m);
	m->talk_op = (uint8_t)op;
	m->svc = t->svc;
	m->urcode = t->cd + 1;
	m->talk.from_seq = t->seq;
	m->talk.number = t->sent;
	m->talk.taken = t->taken;
}

void ow_talk_head(const struct ow_talks *ts, const struct ow_talk *t,
		  struct ow_msg *m)
{
	fill(ts, t, OW_TALK_DATA, m);
	m->talk.number = t->sent + 1;
}

/* What was said of the fetched messages has arrived, or will. */
static void note_told(struct ow_talk *t, const struct ow_msg *m)
{
	t->told = m->talk.taken;
	t->untold = 0;
}

int ow_talk_post(struct ow_talks *ts, struct ow_talk *t, struct ow_envelope *e,
		 uint64_t deadline)
{
	struct ow_domain *d = ts->dom;
	int r;

	OW_FAULT("talk.post");
	r = ow_queue_send(t->queue, e, PRIO, deadline);
	if (r != 0)
		return r;
	OW_FAULT("talk.posted");
	ow_talk_sent(t, e->head->len);
	note_told(t, e->head);
	/* The other end left, and drained its queue before the message came. */
	if (e->head->block != 0 && !ow_talk_is_there(ts, t))
		ow_block_recall(d->blocks, e->head->block);
	return 0;
}

/* ---- messages without data ---- */

/* Queue the message, or, if it must come, postpone it: 0, FULL, -errno. */
static int tell(struct ow_talks *ts, struct ow_queue *q, struct ow_msg *m,
		bool must_come)
{
	struct ow_envelope e;
	int r;

	ow_envelope_init(&e, m, sizeof(*m), ts->dom->blocks);
	OW_FAULT("talk.tell");
	r = ow_queue_send(q, &e, PRIO, OW_DEADLINE_NOW);
	OW_FAULT("talk.told");
	if (r == 0 || !must_come)
		return r;
	return ts->dom->transport->postpone(ts->dom, &e);
}

static int tell_far(struct ow_talks *ts, struct ow_talk *t, enum ow_talk_op op)
{
	struct ow_msg m;
	int r = ow_talk_reach(ts, t);

	if (r != 0)
		return r;
	fill(ts, t, op, &m);
	r = tell(ts, t->queue, &m, op != OW_TALK_TAKEN);
	if (r == 0)
		note_told(t, &m);
	return r;
}

int ow_talk_accept(struct ow_talks *ts, struct ow_talk *t)
{
	return tell_far(ts, t, OW_TALK_ACCEPT);
}

void ow_talk_acknowledge(struct ow_talks *ts, struct ow_talk *t)
{
	tell_far(ts, t, OW_TALK_TAKEN);
}

void ow_talk_hang_up(struct ow_talks *ts, struct ow_talk *t)
{
	int r;

	if (t->state != OW_TALK_OPEN)
		return;
	r = tell_far(ts, t, OW_TALK_END);
	if (r < 0)
		log_warn("conversation %d: its other end is not told that it "
			 "is over: %s", t->cd, strerror(-r));
}

void ow_talks_hang_up(struct ow_talks *ts)
{
	int cd;

	for (cd = 0; ts != NULL && cd < ts->n; cd++)
		if (ts->talk[cd] != NULL)
			ow_talk_hang_up(ts, ts->talk[cd]);
}

/* Only an acceptance must be answered: its sender has heard of no end. To
 * others the end is under way already. */
void ow_talk_refuse(struct ow_talks *ts, const struct ow_msg *m)
{
	struct ow_talk_far far = { .slot = m->talk.from_slot,
				   .gen = m->talk.from_gen,
				   .cd = (int32_t)m->urcode,
				   .seq = m->talk.from_seq };
	struct ow_queue *q = NULL;
	struct ow_msg answer;

	if ((m->talk_op != OW_TALK_ACCEPT && m->talk_op != OW_TALK_DATA) ||
	    far.cd <= 0 || !is_there(ts, &far) ||
	    ow_queue_open(ts->dom, ow_reply_queue(far.slot), &q) != 0)
		return;
	address(ts, &far, &answer);
	answer.talk_op = OW_TALK_END;
	/* The answer comes from the end that the message looked for. */
	answer.talk.from_seq = m->seq;
	tell(ts, q, &answer, m->talk_op == OW_TALK_ACCEPT);
	ow_queue_close(q);
}
