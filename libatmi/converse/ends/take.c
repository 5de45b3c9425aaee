/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take.c - messages of conversations that were received find their conversation
 */
#include "libatmi/converse/ends/take.h"

#include <errno.h>
#include <xatmi.h>

#include "libatmi/converse/ends/post.h"
#include "libatmi/converse/ends/conversation.h"
#include "libatmi/log/log.h"

/* A message is missing, or there is no memory for it: no program may take what
 * comes later for what should have come. */
static void give_up(struct ow_convs *ts, struct ow_conv *t, const char *why)
{
	log_error("conversation %d: %s: it ends", t->cd, why);
	ow_conv_hang_up(ts, t);
	ow_conv_over(t, t->began ? TPEV_SVCERR : TPEV_DISCONIMM);
}

/* Those of an end that was not met yet come from anywhere. */
static bool is_from(const struct ow_conv *t, const struct ow_msg *m)
{
	return t->state == OW_CONV_CALLING ||
	       (m->conv.from_slot == t->other.slot &&
		m->conv.from_gen == t->other.gen &&
		m->conv.from_seq == t->other.seq);
}

static struct ow_conv *match(const struct ow_convs *ts, const struct ow_msg *m)
{
	struct ow_conv *t = ow_conv_find(ts, m->cd - 1);

	if (t == NULL || t->seq != m->seq || m->clt_slot != ts->slot ||
	    m->clt_gen != ts->gen || t->state == OW_CONV_OVER ||
	    (m->kind == OW_MSG_CONV && !is_from(t, m)))
		return NULL;
	return t;
}

/* The other end is where its message comes from. */
static void meet(struct ow_convs *ts, struct ow_conv *t, const struct ow_msg *m)
{
	struct ow_conv_other other = { .slot = m->conv.from_slot,
				       .gen = m->conv.from_gen,
				       .cd = (int32_t)m->urcode,
				       .seq = m->conv.from_seq };

	ow_conv_meet(ts, t, &other);
}

/* Data, with a number: 0, DIRECT, or LATE (it has come before). Data may
 * overtake the word that the server has accepted, which was postponed. */
static int take_data(struct ow_convs *ts, struct ow_conv *t,
		     struct ow_envelope *e, const struct ow_conv *direct)
{
	uint32_t number = e->head->conv.number;

	if (t->state == OW_CONV_CALLING) {
		meet(ts, t, e->head);
		direct = NULL; /* tpconnect() waits, not tprecv() */
	}
	if (number - t->got > UINT32_MAX / 2 || number == t->got)
		return OW_CONV_LATE;
	ow_conv_acknowledged(t, e->head->conv.taken);
	if (number != t->got + 1 || number - t->taken > OW_CONV_WINDOW) {
		give_up(ts, t, "a message is missing, or too many are there");
		return 0;
	}
	t->got = number;
	if (t == direct && t->first == NULL)
		return OW_CONV_DIRECT;
	if (ow_conv_keep(t, e) != 0)
		give_up(ts, t, "no memory for a message");
	return 0;
}

static int take_conv(struct ow_convs *ts, struct ow_conv *t,
		     struct ow_envelope *e, const struct ow_conv *direct)
{
	const struct ow_msg *m = e->head;

	switch (m->conv_op) {
	case OW_CONV_ACCEPT:
		if (t->state != OW_CONV_CALLING)
			return OW_CONV_LATE;
		meet(ts, t, m);
		return 0;
	case OW_CONV_DATA:
		return take_data(ts, t, e, direct);
	case OW_CONV_TAKEN:
		ow_conv_acknowledged(t, m->conv.taken);
		return 0;
	case OW_CONV_END:
		ow_conv_over(t, TPEV_DISCONIMM);
		return 0;
	default:
		return OW_CONV_LATE;
	}
}

/* The reply to the request that began the conversation. */
static int take_reply(struct ow_conv *t, struct ow_envelope *e)
{
	int tperr = e->head->tperr;
	long event = tperr == 0		   ? TPEV_SVCSUCC
		     : tperr == TPESVCFAIL ? TPEV_SVCFAIL
					   : TPEV_SVCERR;

	if (!t->began)
		return OW_CONV_LATE;
	if (ow_envelope_keep(&t->end, e) != 0) {
		log_error("conversation %d: no memory for its end", t->cd);
		event = TPEV_SVCERR;
	}
	ow_conv_over(t, event);
	return 0;
}

int ow_convs_take(struct ow_convs *ts, struct ow_envelope *e,
		  const struct ow_conv *direct)
{
	const struct ow_msg *m = e->head;
	struct ow_conv *t = match(ts, m);
	int r = OW_CONV_LATE;

	if (t != NULL)
		r = m->kind == OW_MSG_CONV ? take_conv(ts, t, e, direct)
					   : take_reply(t, e);
	else if (m->kind == OW_MSG_CONV)
		ow_conv_refuse(ts, m);
	if (r != OW_CONV_DIRECT && e->head != NULL)
		ow_envelope_close(e);
	return r;
}
