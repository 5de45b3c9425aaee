/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take.c - messages of conversations that were received find their talk
 */
#include "libatmi/converse/take.h"

#include <errno.h>
#include <xatmi.h>

#include "libatmi/converse/post.h"
#include "libatmi/converse/talk.h"
#include "libatmi/log/log.h"

/* A message is missing, or there is no memory for it: no program may take what
 * comes later for what should have come. */
static void give_up(struct ow_talks *ts, struct ow_talk *t, const char *why)
{
	log_error("conversation %d: %s: it ends", t->cd, why);
	ow_talk_hang_up(ts, t);
	ow_talk_over(t, t->began ? TPEV_SVCERR : TPEV_DISCONIMM);
}

/* Those of an end that was not met yet come from anywhere. */
static bool is_from(const struct ow_talk *t, const struct ow_msg *m)
{
	return t->state == OW_TALK_CALLING ||
	       (m->talk.from_slot == t->far.slot &&
		m->talk.from_gen == t->far.gen &&
		m->talk.from_seq == t->far.seq);
}

static struct ow_talk *match(const struct ow_talks *ts, const struct ow_msg *m)
{
	struct ow_talk *t = ow_talk_find(ts, m->cd - 1);

	if (t == NULL || t->seq != m->seq || m->clt_slot != ts->slot ||
	    m->clt_gen != ts->gen || t->state == OW_TALK_OVER ||
	    (m->kind == OW_MSG_TALK && !is_from(t, m)))
		return NULL;
	return t;
}

/* The other end is where its message comes from. */
static void meet(struct ow_talks *ts, struct ow_talk *t,
		 const struct ow_msg *m)
{
	struct ow_talk_far far = { .slot = m->talk.from_slot,
				   .gen = m->talk.from_gen,
				   .cd = (int32_t)m->urcode,
				   .seq = m->talk.from_seq };

	ow_talk_meet(ts, t, &far);
}

/* Data, with a number: 0, DIRECT, or LATE (it has come before). Data may
 * overtake the word that the server has accepted, which was postponed. */
static int take_data(struct ow_talks *ts, struct ow_talk *t,
		     struct ow_envelope *e, const struct ow_talk *direct)
{
	uint32_t number = e->head->talk.number;

	if (t->state == OW_TALK_CALLING) {
		meet(ts, t, e->head);
		direct = NULL; /* tpconnect() waits, not tprecv() */
	}
	if (number - t->got > UINT32_MAX / 2 || number == t->got)
		return OW_TALK_LATE;
	ow_talk_acknowledged(t, e->head->talk.taken);
	if (number != t->got + 1 || number - t->taken > OW_TALK_WINDOW) {
		give_up(ts, t, "a message is missing, or too many are there");
		return 0;
	}
	t->got = number;
	if (t == direct && t->first == NULL)
		return OW_TALK_DIRECT;
	if (ow_talk_keep(t, e) != 0)
		give_up(ts, t, "no memory for a message");
	return 0;
}

static int take_talk(struct ow_talks *ts, struct ow_talk *t,
		     struct ow_envelope *e, const struct ow_talk *direct)
{
	const struct ow_msg *m = e->head;

	switch (m->talk_op) {
	case OW_TALK_ACCEPT:
		if (t->state != OW_TALK_CALLING)
			return OW_TALK_LATE;
		meet(ts, t, m);
		return 0;
	case OW_TALK_DATA:
		return take_data(ts, t, e, direct);
	case OW_TALK_TAKEN:
		ow_talk_acknowledged(t, m->talk.taken);
		return 0;
	case OW_TALK_END:
		ow_talk_over(t, TPEV_DISCONIMM);
		return 0;
	default:
		return OW_TALK_LATE;
	}
}

/* The reply to the request that began the conversation. */
static int take_reply(struct ow_talk *t, struct ow_envelope *e)
{
	int tperr = e->head->tperr;
	long event = tperr == 0		   ? TPEV_SVCSUCC
		     : tperr == TPESVCFAIL ? TPEV_SVCFAIL
					   : TPEV_SVCERR;

	if (!t->began)
		return OW_TALK_LATE;
	if (ow_envelope_keep(&t->end, e) != 0) {
		log_error("conversation %d: no memory for its end", t->cd);
		event = TPEV_SVCERR;
	}
	ow_talk_over(t, event);
	return 0;
}

int ow_talks_take(struct ow_talks *ts, struct ow_envelope *e,
		  const struct ow_talk *direct)
{
	const struct ow_msg *m = e->head;
	struct ow_talk *t = match(ts, m);
	int r = OW_TALK_LATE;

	if (t != NULL)
		r = m->kind == OW_MSG_TALK ? take_talk(ts, t, e, direct)
					   : take_reply(t, e);
	else if (m->kind == OW_MSG_TALK)
		ow_talk_refuse(ts, m);
	if (r != OW_TALK_DIRECT && e->head != NULL)
		ow_envelope_close(e);
	return r;
}
