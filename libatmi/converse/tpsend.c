/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsend.c - send a message to the other end of a conversation
 *
 * It waits for the window (ends/conversation.h), then for room in the queue
 * of the other end. The first part of the second wait is the transport's, which
 * lets senders take turns; after that the program takes in what comes for
 * itself while it waits, so that two full queues do not block each other.
 */
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/converse/converse.h"
#include "libatmi/call/request.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/timeout.h"
#include "libatmi/converse/ends/post.h"
#include "libatmi/converse/ends/conversation.h"
#include "libatmi/transport/transport.h"

/* The first wait for room. */
#define TURN_NS (5 * OW_NS_PER_MS)

struct sending {
	struct ow_ctx *ctx;
	struct ow_conv *conv;
	uint64_t begin_ns, deadline;
	uint64_t turn_ns; /* end of the first wait for room */
	long flags;
};

/* One try to queue the message: 0 sent, FULL, SIGNAL, -errno. */
static int post(struct sending *s, struct ow_envelope *e)
{
	uint64_t until = ow_deadline_clamp(s->deadline, s->turn_ns);
	struct ow_conv *t = s->conv;
	int r = ow_conv_reach(s->ctx->convs, t); /* open, nearly always */

	if (r != 0)
		return r < 0 ? r : OW_QUEUE_FULL;
	e->head->conv.taken = t->taken;
	r = ow_conv_post(s->ctx->convs, t, e, until);
	s->turn_ns = OW_DEADLINE_NOW;
	return r == OW_QUEUE_TIMEOUT ? OW_QUEUE_FULL : r;
}

/* Queue the message, waiting as long as it takes: 0, OVER, or why not. */
static int push_waiting(struct sending *s, struct ow_envelope *e)
{
	struct ow_conv *t = s->conv;
	bool room;
	int r;

	while (t->state == OW_CONV_OPEN) {
		room = ow_conv_has_room(t);
		r = room ? post(s, e) : OW_QUEUE_FULL;
		if (r == 0)
			return 0;
		if (r == OW_QUEUE_FULL && (s->flags & TPNOBLOCK))
			return t->state == OW_CONV_OPEN ? r : OW_CONVERSE_OVER;
		if (r == OW_QUEUE_FULL)
			r = room ? ow_converse_wait_room(s->ctx, t, s->deadline)
				 : ow_converse_wait(s->ctx, t, s->deadline,
						    NULL);
		if (r == OW_QUEUE_SIGNAL && (s->flags & TPSIGRSTRT))
			r = 0;
		if (r != 0)
			return r;
	}
	return OW_CONVERSE_OVER;
}

static int push(struct sending *s, struct ow_envelope *e)
{
	int r = push_waiting(s, e);

	ow_converse_waited(s->ctx, s->conv);
	return r;
}

/* Have the queue of the other end open: 0, or -1 with tperrno. */
static int reach(struct sending *s)
{
	int r = ow_conv_reach(s->ctx->convs, s->conv);

	if (r == OW_QUEUE_GONE)
		return ow_tp_fail(TPEOS, "the mailbox of the other end has "
				  "lost its name");
	return r < 0 ? ow_tp_fail_errno(r, "queue of the other end") : 0;
}

/* Make the message of the program's buffer: 0, or -1 with tperrno. */
static int pack(struct sending *s, struct ow_content *content,
		struct ow_envelope *e)
{
	size_t least = content->type == OW_BUF_UBF ? OW_BUF_SIZE_MIN_UBF
						   : OW_BUF_SIZE_MIN;
	int r;

	if (reach(s) != 0)
		return -1;
	ow_conv_head(s->ctx->convs, s->conv, e->head);
	e->head->flags = (uint32_t)(s->flags & TPRECVONLY);
	r = ow_envelope_pack(e, content, s->conv->queue->msgsize, least);
	if (r == OW_ENVELOPE_NOROOM)
		return ow_tp_fail(TPEOS, "no shared memory for a message of "
				  "%zu bytes: %s is full", e->payload.len,
				  s->ctx->dom->shm_dir);
	return r < 0 ? ow_tp_fail_errno(r, "block store") : 0;
}

/* Send what the program's buffer holds: 0, or -1 with tperrno. */
static int send_content(struct sending *s, struct ow_content *content,
			long *revent)
{
	union ow_envelope_memory room;
	struct ow_envelope e;
	int r;

	ow_envelope_init(&e, &room, sizeof(room), s->ctx->dom->blocks);
	if (pack(s, content, &e) != 0)
		return -1;
	r = push(s, &e);
	if (r == 0) {
		if (s->flags & TPRECVONLY)
			s->conv->turn = OW_TURN_THEIRS;
		return 0;
	}
	ow_envelope_unpack(&e, content);
	if (r == OW_CONVERSE_OVER)
		return ow_converse_event(s->ctx, s->conv, NULL, NULL, 0,
					 revent);
	if (r == OW_QUEUE_FULL)
		return ow_tp_fail(TPEBLOCK,
				  "the other end of conversation %d "
				  "does not receive",
				  s->conv->cd);
	return ow_converse_fail(s->ctx, r, "the other end to receive");
}

static void begin(struct sending *s, struct ow_ctx *c, struct ow_conv *t,
		  long flags)
{
	s->ctx = c;
	s->conv = t;
	s->flags = flags | c->sig_flag;
	s->begin_ns = ow_clock_mono_ns();
	s->deadline = ow_timeout_deadline(c, flags, s->begin_ns);
	s->turn_ns = flags & TPNOBLOCK ? OW_DEADLINE_NOW
				       : s->begin_ns + TURN_NS;
}

int tpsend(int cd, char *data, long len, long flags, long *revent)
{
	OW_SHARED;
	struct ow_sending content;
	struct sending s;
	struct ow_ctx *c;
	struct ow_conv *t;
	int r;

	ow_tp_clear();
	if (revent != NULL)
		*revent = 0;
	if (ow_converse_find(cd, &c, &t) != 0)
		return -1;
	if (t->turn == OW_TURN_THEIRS)
		return ow_tp_fail(TPEPROTO, "conversation %d: the other end is "
				  "to send", cd);
	if (ow_request_content(&content, data, len) != 0)
		return -1;
	begin(&s, c, t, flags);
	ow_converse_refresh(c, t, s.begin_ns);
	r = t->state == OW_CONV_OVER
		? ow_converse_event(c, t, NULL, NULL, 0, revent)
		: send_content(&s, &content.content, revent);
	ow_content_end(&content);
	return r;
}
