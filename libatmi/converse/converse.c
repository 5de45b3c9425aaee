/* SPDX-License-Identifier: Apache-2.0 */
/*
 * converse.c - what the functions of conversations share: finding, waiting, events
 */
#include "libatmi/converse/converse.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <xatmi.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/await.h"
#include "libatmi/call/context.h"
#include "libatmi/call/deliver.h"
#include "libatmi/call/life.h"
#include "libatmi/call/share.h"
#include "libatmi/call/slot.h"
#include "libatmi/call/svcq.h"
#include "libatmi/converse/ends/post.h"
#include "libatmi/converse/ends/conversation.h"
#include "libatmi/domain/wait_note.h"
#include "libubf/base/compatible.h"

/* Between two looks whether the other end lives: less than half of the time
 * within which a kill is news. No round number: periods of timers are, and a
 * signal between two sleeps is not seen (doc/design/transports.md). */
#define LOOK_NS (43 * OW_NS_PER_MS)
/* News that came so long ago are seen by the next function. */
#define FRESH_NS OW_NS_PER_MS
/* Until how many were fetched can be said: the queue of the other end was
 * full. */
#define OWING_NS (2 * OW_NS_PER_MS)

/* ---- beginning, finding ---- */

/* Have room in the own queue for the windows of all conversations. */
static int expect_messages(struct ow_ctx *c)
{
	uint32_t n = (uint32_t)c->outstanding +
		     (uint32_t)c->convs->open * OW_CONV_WINDOW;

	if (ow_queue_expect(c->replyq, n) == 0)
		return 0;
	return ow_tp_fail(TPEOS,
			  "no shared memory for the messages of %d "
			  "conversations: %s is full",
			  c->convs->open, c->dom->shm_dir);
}

int ow_converse_begin(struct ow_ctx *c, bool began, const struct ow_msg *m,
		      struct ow_conv **ret)
{
	struct ow_conv *t;
	int r;

	if (c->convs == NULL)
		c->convs = ow_convs_new(c->dom, c->slot, c->gen);
	if (c->convs == NULL)
		return ow_tp_fail(TPEOS, "no memory for a conversation");
	r = ow_conv_new(c->convs, ++c->next_seq, &t);
	if (r == -EMFILE)
		return ow_tp_fail(TPELIMIT, "all %d descriptors are in use",
				  OW_CONV_MAX);
	if (r != 0)
		return ow_tp_fail_errno(r, "a conversation");
	t->began = began;
	t->turn = m->flags & TPSENDONLY	  ? OW_TURN_OURS
		  : m->flags & TPRECVONLY ? OW_TURN_THEIRS
					  : OW_TURN_EITHER;
	t->look_ns = ow_clock_mono_ns() + LOOK_NS;
	if (expect_messages(c) != 0) {
		ow_conv_drop(c->convs, t);
		return -1;
	}
	*ret = t;
	return 0;
}

int ow_converse_find(int cd, struct ow_ctx **ret, struct ow_conv **ret_conv)
{
	struct ow_ctx *c = ow_ctx_get();
	struct ow_conv *t;

	if (c == NULL)
		return -1;
	t = ow_conv_find(c->convs, cd);
	if (t == NULL)
		return ow_tp_fail(ow_compat_tuxedo() ? TPEBADDESC : TPEINVAL,
				  "descriptor %d is not of an open "
				  "conversation", cd);
	if (t->busy)
		return ow_tp_fail(TPEPROTO, "another thread is in a function of "
				  "conversation %d", cd);
	*ret = c;
	*ret_conv = t;
	return 0;
}

/* ---- waiting ---- */

void ow_converse_refresh(struct ow_ctx *c, struct ow_conv *t, uint64_t now)
{
	if (now >= c->convs->fresh_ns) {
		ow_await_take_in(c);
		c->convs->fresh_ns = now + FRESH_NS;
	}
	if (!ow_conv_is_there(c->convs, t))
		ow_converse_look(c, t, now);
}

void ow_converse_look(struct ow_ctx *c, struct ow_conv *t, uint64_t now)
{
	t->look_ns = now + LOOK_NS;
	if (t->state == OW_CONV_CALLING)
		ow_svcq_nudge(c); /* a wake-up may be lost; await.c */
	if (t->state != OW_CONV_OPEN || ow_conv_lives(c->convs, t))
		return;
	/* It may have ended in good order, or sent data before it died. */
	ow_await_take_in(c);
	ow_conv_over(t, t->began ? TPEV_SVCERR : TPEV_DISCONIMM);
}

/* Onlookers want to know for whom this context waits: for a server that accepts;
 * or for a message, and its queue was seen to be empty since the last look. */
static void note_wait(struct ow_ctx *c, struct ow_conv *t, uint64_t now,
		      uint64_t deadline)
{
	struct ow_wait_message w = { .slot = t->other.slot,
				     .gen = t->other.gen };
	struct ow_wait_reply connect = { .seq = t->seq,
					 .since_ns = now,
					 .deadline_ns = deadline,
					 .svc = t->called };
	bool first = t->noted_ns == 0;

	if (t->state == OW_CONV_OVER)
		return;
	if (first)
		t->noted_ns = now;
	if (t->state == OW_CONV_CALLING) {
		if (first)
			ow_wait_note_reply(c->clt, &connect);
		return;
	}
	w.since_ns = t->noted_ns;
	w.looked_ns = t->look_ns - LOOK_NS;
	ow_wait_note_message(c->clt, &w);
}

void ow_converse_waited(struct ow_ctx *c, struct ow_conv *t)
{
	if (t->noted_ns == 0)
		return;
	ow_wait_note_clear(c->clt);
	t->noted_ns = 0;
}

/* A sleep is over; `empty`: nothing has come. 0, or TIMEOUT when the deadline
 * has passed. */
static int after_sleep(struct ow_ctx *c, struct ow_conv *t, uint64_t deadline,
		       bool empty)
{
	uint64_t now = ow_clock_mono_ns();

	if (now >= t->look_ns) {
		if (empty)
			note_wait(c, t, now, deadline);
		if (c->attend != NULL)
			c->attend();
		ow_converse_look(c, t, now);
	}
	return t->state != OW_CONV_OVER && ow_deadline_passed(deadline, now)
		   ? OW_QUEUE_TIMEOUT
		   : 0;
}

int ow_converse_wait(struct ow_ctx *c, struct ow_conv *t, uint64_t deadline,
		     bool *ret_direct)
{
	uint64_t until = ow_deadline_clamp(deadline, t->look_ns);
	bool direct;
	int r;

	if (t->state == OW_CONV_OPEN && ow_conv_owes(t)) {
		ow_conv_acknowledge(c->convs, t);
		if (ow_conv_owes(t))
			until = ow_deadline_clamp(until, ow_clock_mono_ns() +
							     OWING_NS);
	}
	t->busy = c->share != NULL;
	r = ow_await_message(c, until, ret_direct != NULL ? t : NULL, &direct);
	t->busy = false;
	if (ret_direct != NULL)
		*ret_direct = direct;
	if (direct)
		return 0;
	if (r == OW_QUEUE_TIMEOUT && ret_direct != NULL)
		pthread_testcancel();
	if (r != 0 && r != OW_QUEUE_TIMEOUT)
		return r;
	return after_sleep(c, t, deadline, r == OW_QUEUE_TIMEOUT);
}

int ow_converse_wait_room(struct ow_ctx *c, struct ow_conv *t,
			  uint64_t deadline)
{
	int r = ow_await_take_in(c);

	if (ow_share_is_crowded(c->share)) {
		t->busy = true;
		r = r == 0 ? ow_share_pause(c->share) : r;
		t->busy = false;
	} else if (r == 0 && t->state == OW_CONV_OPEN && t->queue != NULL)
		r = ow_queue_wait_either(t->queue, c->replyq,
					 ow_deadline_clamp(deadline,
							   t->look_ns));
	return r == 0 || r == OW_QUEUE_TIMEOUT
		       ? after_sleep(c, t, deadline, true) : r;
}

int ow_converse_fail(struct ow_ctx *c, int r, const char *what)
{
	switch (r) {
	case OW_QUEUE_SIGNAL:
		return ow_tp_fail(TPGOTSIG, "signal while waiting for %s",
				  what);
	case OW_QUEUE_TIMEOUT:
		ow_count_shared(&c->clt->timeouts, 1);
		return ow_tp_fail(TPETIME, "waited in vain for %s", what);
	default:
		return ow_tp_fail_errno(r, what);
	}
}

/* ---- events ---- */

static const char *event_text(long event)
{
	switch (event) {
	case TPEV_SVCSUCC:
		return "TPEV_SVCSUCC: the service has returned";
	case TPEV_SVCFAIL:
		return "TPEV_SVCFAIL: the service returned TPFAIL";
	case TPEV_SVCERR:
		return "TPEV_SVCERR: the server failed or died";
	default:
		return "TPEV_DISCONIMM: the other end has left";
	}
}

int ow_converse_event(struct ow_ctx *c, struct ow_conv *t, char **data,
		      long *len, long flags, long *revent)
{
	bool answered = t->end.head != NULL &&
			(t->event & (TPEV_SVCSUCC | TPEV_SVCFAIL)) != 0;
	bool lost = t->event != TPEV_SVCSUCC && t->tran != 0 &&
		    t->tran == c->tran;
	long event = t->event;
	int r = 0;

	if (answered && data != NULL)
		r = ow_deliver_content(&t->end, data, len, flags);
	if (answered)
		tpurcode = (long)t->end.head->urcode;
	ow_conv_drop(c->convs, t);
	if (revent != NULL)
		*revent = event;
	if (r == 0)
		r = ow_tp_fail(TPEEVENT, "%s", event_text(event));
	if (lost)
		c->tran_hooks->call_failed(c, TPESVCERR, OW_CALL_LOST);
	return r;
}

bool ow_converse_is_in(const struct ow_ctx *c, bool began)
{
	const struct ow_conv *t;
	int cd;

	if (c->convs == NULL || c->tran == 0)
		return false;
	for (cd = 0; cd < c->convs->n; cd++) {
		t = ow_conv_find(c->convs, cd);
		if (t != NULL && t->tran == c->tran && (t->began || !began))
			return true;
	}
	return false;
}

void ow_converse_end_of(struct ow_ctx *c, uint64_t tran)
{
	struct ow_conv *t;
	int cd;

	for (cd = 0; c->convs != NULL && cd < c->convs->n; cd++) {
		t = ow_conv_find(c->convs, cd);
		if (t == NULL || t->tran != tran || !t->began)
			continue;
		ow_conv_hang_up(c->convs, t);
		if (t->busy) /* the thread that waits in it drops it */
			ow_conv_over(t, TPEV_DISCONIMM);
		else
			ow_conv_drop(c->convs, t);
	}
}

/* ---- for servers ---- */

/* What a request to connect says of the end that it came from, and which
 * direction is whose, seen from here. */
static void meet_caller(struct ow_ctx *c, struct ow_conv *t,
			const struct ow_msg *m)
{
	struct ow_conv_other other = { .slot = m->clt_slot,
				       .gen = m->clt_gen,
				       .cd = m->cd,
				       .seq = m->seq };

	t->svc = m->svc;
	if (t->turn != OW_TURN_EITHER)
		t->turn = t->turn == OW_TURN_OURS ? OW_TURN_THEIRS
						  : OW_TURN_OURS;
	ow_conv_meet(c->convs, t, &other);
}

int ow_converse_accept(struct ow_ctx *c, const struct ow_msg *m, int *ret_cd)
{
	struct ow_conv *t;
	int r;

	if (ow_slot_need(c) != 0 ||
	    ow_converse_begin(c, false, m, &t) != 0)
		return -1;
	t->tran = c->tran;
	ow_await_take_in(c); /* what came late for earlier ones */
	meet_caller(c, t, m);
	r = ow_conv_accept(c->convs, t);
	if (r < 0) {
		ow_conv_drop(c->convs, t);
		return ow_tp_fail_errno(r, "accepting a conversation");
	}
	*ret_cd = t->cd;
	return 0;
}

/* The conversation that the service was called for. Its descriptor may be that
 * of another one by now, which the service itself has begun. */
static struct ow_conv *find_accepted(const struct ow_ctx *c, int cd)
{
	struct ow_conv *t = ow_conv_find(c->convs, cd);

	return t != NULL && !t->began ? t : NULL;
}

int ow_converse_outcome(const struct ow_ctx *c, int cd, int tperr,
			bool with_data)
{
	const struct ow_conv *t = find_accepted(c, cd);

	if (t == NULL || t->state != OW_CONV_OPEN)
		return -1;
	if (t->turn != OW_TURN_THEIRS || (tperr == TPESVCFAIL && !with_data))
		return tperr;
	return TPESVCERR;
}

void ow_converse_end_service(struct ow_ctx *c, int cd)
{
	struct ow_conv *t = find_accepted(c, cd);

	if (t != NULL)
		ow_conv_drop(c->convs, t);
	for (cd = 0; cd < c->convs->n && c->convs->open > 0; cd++) {
		t = ow_conv_find(c->convs, cd);
		if (t == NULL)
			continue;
		ow_conv_hang_up(c->convs, t);
		ow_conv_drop(c->convs, t);
	}
}
