/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay.c - messages of a conversation pass through, both ways
 *
 * Messages keep their numbers. What the program at the other node has fetched
 * is told to the program here when the other bridge says so, and no earlier: so
 * the window of the sender holds for the whole way.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/buffer/types.h"
#include "libatmi/call/context.h"
#include "libatmi/converse/ends/post.h"
#include "libatmi/log/log.h"
#include "servers/bridge/conversation/end.h"
#include "servers/bridge/conversation/relay.h"
#include "servers/bridge/conversation/said.h"
#include "servers/bridge/peers/send.h"

/* ---- to the other node ---- */

/* Does so much wait for the link that the message stays here? */
static bool is_held(struct ow_br_convs *t, const struct ow_br_conv *k)
{
	const struct ow_br_lane_state *l = &k->link.peer->lane[OW_BR_REPLIES];
	bool held;

	pthread_mutex_lock(&t->peers->lock);
	held = l->waiting >= OW_BR_HOLD || l->waiting_bytes >= OW_BR_WINDOW;
	pthread_mutex_unlock(&t->peers->lock);
	return held;
}

static bool has_other_tables(const struct ow_br_convs *t,
			     const struct ow_br_conv *k)
{
	uint64_t ours = t->dir->tables, theirs = k->link.peer->tables;

	return ours != 0 && theirs != 0 && ours != theirs;
}

/* NULL, or why the message cannot go. */
static const char *send_data(struct ow_br_convs *t, struct ow_br_conv *k,
			     const struct ow_envelope *e)
{
	const struct ow_msg *m = e->head;
	struct ow_br_out *o;

	if (m->len > OW_BR_LARGEST)
		return "a message has more than 64 MiB";
	if (m->len > 0 && e->payload.data == NULL)
		return "a message is gone";
	if (m->buftype == OW_BUF_UBF && has_other_tables(t, k))
		return "the field tables there are others (FLDTBLDIR, "
		       "FIELDTBLS)";
	o = ow_br_conv_out(k, OW_BR_CONV, m->len);
	if (o == NULL)
		return "no memory for a message";
	o->frame.tperr = OW_CONV_DATA;
	o->frame.left_ns = m->conv.number;
	o->frame.urcode = k->relayed = k->end->acked;
	o->frame.buftype = m->buftype;
	o->frame.sub_len = m->sub_len;
	if (m->flags & TPRECVONLY)
		o->frame.flags |= OW_BR_CONV_TURN;
	if (m->len > 0)
		memcpy(o->payload, e->payload.data, m->len);
	ow_br_conv_send(t, &k->link, o);
	return NULL;
}

/* What the program here has sent: NULL, or why it cannot go on. */
static const char *pass_out(struct ow_br_convs *t, struct ow_br_conv *k)
{
	struct ow_conv *e = k->end;
	const char *why = NULL;

	if (!k->key.own && !k->accepted && e->other.seq != 0) {
		ow_br_conv_say(t, k, OW_CONV_ACCEPT);
		k->accepted = true;
	}
	while (e->first != NULL && why == NULL) {
		if (is_held(t, k)) {
			t->held = true;
			return NULL;
		}
		why = send_data(t, k, &e->first->e);
		if (why == NULL)
			ow_conv_shift(e);
	}
	if (why == NULL && e->acked != k->relayed) {
		k->relayed = e->acked;
		ow_br_conv_say(t, k, OW_CONV_TAKEN);
	}
	return why;
}

/* ---- from the other node ---- */

/* So many of the program's messages were fetched there. */
static void note_taken(struct ow_br_conv *k, const struct ow_br_frame *f)
{
	uint32_t taken = (uint32_t)f->urcode;

	if (taken - k->end->taken <= k->end->got - k->end->taken)
		k->end->taken = taken;
}

/* As the window of an honest program would have it. */
static bool is_in_window(const struct ow_br_conv *k,
			 const struct ow_br_frame *f)
{
	return k->end->state != OW_CONV_CALLING &&
	       (uint32_t)f->left_ns == k->arrived + 1 &&
	       k->arrived - k->end->acked < OW_CONV_WINDOW &&
	       k->end->unacked + k->bytes < OW_CONV_BYTES;
}

static bool hear_data(struct ow_br_convs *t, struct ow_br_conv *k,
		      struct ow_br_said *s)
{
	note_taken(k, &s->frame);
	if (k->end->state == OW_CONV_OVER)
		return false;
	if (!is_in_window(k, &s->frame)) {
		ow_br_conv_fail(t, k, "a message from the other node is not "
				"the next one, or one too many");
		return false;
	}
	k->arrived++;
	k->bytes += s->frame.total;
	*k->last = s;
	k->last = &s->next;
	return true;
}

bool ow_br_conv_hear(struct ow_br_convs *t, struct ow_br_conv *k,
		     struct ow_br_said *s)
{
	if (k->over != OW_BR_CONV_GOES_ON)
		return false;
	if (s->frame.kind == OW_BR_REPLY && k->key.own) {
		k->over = OW_BR_CONV_REPLY;
		k->final = s;
		return true;
	}
	switch (s->frame.kind == OW_BR_CONV ? s->frame.tperr : -1) {
	case OW_CONV_ACCEPT:
		break;
	case OW_CONV_DATA:
		return hear_data(t, k, s);
	case OW_CONV_TAKEN:
		note_taken(k, &s->frame);
		break;
	case OW_CONV_END:
		k->over = OW_BR_CONV_ENDED;
		break;
	default:
		ow_br_conv_fail(t, k, "a message from the other node is lost "
				"or wrong");
	}
	return false;
}

/* Queue the message for the program: 0; FULL, it is tried again; GONE; -errno. */
static int try_post(struct ow_br_convs *t, struct ow_br_conv *k,
		    struct ow_br_said *s)
{
	struct ow_convs *ts = t->c->convs;
	union ow_envelope_memory room;
	struct ow_content content;
	struct ow_envelope e;
	int r = ow_conv_reach(ts, k->end);

	if (r != 0)
		return r;
	if (s->kept.head != NULL) {
		s->kept.head->conv.taken = k->end->taken;
		r = ow_conv_post(ts, k->end, &s->kept, OW_DEADLINE_NOW);
		return r == OW_QUEUE_SIGNAL ? OW_QUEUE_FULL : r;
	}
	ow_envelope_init(&e, &room, sizeof(room), ts->dom->blocks);
	ow_conv_head(ts, k->end, e.head);
	e.head->flags = s->frame.flags & OW_BR_CONV_TURN ? TPRECVONLY : 0;
	ow_br_conv_content(s, &content);
	r = ow_envelope_pack(&e, &content, k->end->queue->msgsize,
			     ow_buf_size_min(s->frame.buftype));
	if (r != 0)
		return r == OW_ENVELOPE_NOROOM ? -ENOSPC : r;
	r = ow_conv_post(ts, k->end, &e, OW_DEADLINE_NOW);
	if (r == 0)
		return 0;
	if (ow_envelope_keep(&s->kept, &e) != 0) {
		ow_envelope_unpack(&e, &content);
		return -ENOMEM;
	}
	return r == OW_QUEUE_SIGNAL ? OW_QUEUE_FULL : r;
}

/* Queue what has come for the program here: NULL, or why the conversation
 * cannot go on. */
static const char *pass_in(struct ow_br_convs *t, struct ow_br_conv *k)
{
	struct ow_conv *e = k->end;
	struct ow_br_said *s;
	int r;

	while ((s = k->first) != NULL && e->state == OW_CONV_OPEN) {
		r = try_post(t, k, s);
		if (r < 0)
			return strerror(-r);
		if (r == OW_QUEUE_GONE) { /* its program has left */
			ow_conv_over(e,
				     e->began ? TPEV_SVCERR : TPEV_DISCONIMM);
			return NULL;
		}
		if (r != 0) {
			t->hungry = e->cd;
			return NULL;
		}
		k->first = s->next;
		if (k->first == NULL)
			k->last = &k->first;
		k->bytes -= s->frame.total;
		ow_br_said_free(s);
	}
	if (e->state == OW_CONV_OPEN && e->taken != e->told) {
		ow_conv_acknowledge(t->c->convs, e);
		t->held |= e->taken != e->told;
	}
	return NULL;
}

/* A server did not accept in time: if it does now, it is told that it is
 * over. */
static bool is_late(const struct ow_br_conv *k)
{
	return !k->key.own && k->end->state == OW_CONV_CALLING &&
	       ow_deadline_passed(k->link.deadline, ow_clock_mono_ns());
}

void ow_br_conv_step(struct ow_br_convs *t, struct ow_br_conv *k)
{
	const char *why = pass_out(t, k);

	if (why == NULL)
		why = pass_in(t, k);
	if (why != NULL)
		ow_br_conv_fail(t, k, why);
	else if (is_late(k))
		ow_br_conv_forget(t, k);
	else if (k->end->state == OW_CONV_OVER && k->end->first == NULL)
		ow_br_conv_left(t, k);
	else if (k->over != OW_BR_CONV_GOES_ON && k->first == NULL)
		ow_br_conv_close(t, k);
}
