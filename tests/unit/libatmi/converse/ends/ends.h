/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends.h - two ends of a conversation in one process, without contexts
 */
#ifndef OW_TEST_ENDS_H
#define OW_TEST_ENDS_H

#include <xatmi.h>

#include "libatmi/converse/ends/post.h"
#include "libatmi/converse/ends/take.h"
#include "libatmi/converse/ends/conversation.h"
#include "tests/unit/libatmi/messages.h"

/* An end: a client slot with its mailbox, and its conversations. */
struct end {
	uint32_t slot;
	struct ow_queue *q;
	struct ow_convs *ts;
	struct ow_conv *t;
	struct test_in in;
};

/* 0, or a number that says what has failed. */
static inline int end_open(struct end *e, uint64_t seq)
{
	struct ow_queue_shape shape;
	struct ow_clt *c;

	if (ow_clt_take(dom->tables, &e->slot) != 0)
		return 41;
	c = &dom->tables->clt[e->slot];
	if (ow_queue_create(dom, ow_mailbox(e->slot), &shape, &e->q) != 0)
		return 42;
	e->ts = ow_convs_new(dom, e->slot, c->gen);
	if (e->ts == NULL || ow_conv_new(e->ts, seq, &e->t) != 0)
		return 43;
	return 0;
}

static inline void end_close(struct end *e)
{
	struct ow_clt *c = &dom->tables->clt[e->slot];

	ow_convs_free(e->ts);
	ow_clt_close(dom->tables, e->slot, c->gen);
	ow_reap_discard(dom, e->q);
	ow_clt_free(dom->tables, e->slot);
	ow_queue_close(e->q);
}

static inline struct ow_conv_other end_address(const struct end *e)
{
	return (struct ow_conv_other){ .slot = e->slot,
				       .gen = e->ts->gen,
				       .cd = e->t->cd + 1,
				       .seq = e->t->seq };
}

/* `a` has connected, `b` has accepted; the word of that is under way. */
static inline int ends_accept(struct end *a, struct end *b)
{
	struct ow_conv_other other = end_address(a);

	a->t->began = true;
	ow_conv_meet(b->ts, b->t, &other);
	return ow_conv_accept(b->ts, b->t);
}

/* Queue `len` bytes, each `c`: the result of ow_conv_post(). */
static inline int end_send(struct end *e, char c, size_t len)
{
	union ow_envelope_memory room;
	struct ow_envelope out;
	struct ow_content content = { .type = OW_BUF_CARRAY };
	char bytes[4096];
	int r = ow_conv_reach(e->ts, e->t);

	if (r != 0)
		return r;
	memset(bytes, c, len);
	content.payload.data = bytes;
	content.payload.len = len;
	ow_envelope_init(&out, &room, sizeof(room), dom->blocks);
	ow_conv_head(e->ts, e->t, &room.head);
	r = ow_envelope_pack(&out, &content, e->t->queue->msgsize, 0);
	if (r == 0)
		r = ow_conv_post(e->ts, e->t, &out, OW_DEADLINE_NOW);
	if (r != 0)
		ow_envelope_unpack(&out, &content);
	return r;
}

/* Receive one message: the result of ow_convs_take(); -1: there is none. */
static inline int end_take(struct end *e, const struct ow_conv *direct)
{
	if (recv_in(e->q, &e->in, OW_DEADLINE_NOW) != 0)
		return -1;
	return ow_convs_take(e->ts, &e->in.e, direct);
}

static inline int end_take_all(struct end *e)
{
	int n = 0;

	while (end_take(e, NULL) != -1)
		n++;
	return n;
}

/* The program gets the first message that is kept: its first byte; 0: none. */
static inline char end_fetch(struct end *e)
{
	const struct ow_conv_kept *k = e->t->first;
	char c;

	if (k == NULL)
		return 0;
	c = *(const char *)k->e.payload.data;
	ow_conv_fetched(e->t, k->e.head);
	ow_conv_shift(e->t);
	return c;
}

#endif
