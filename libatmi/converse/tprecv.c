/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tprecv.c - receive a message from the other end of a conversation
 *
 * Messages come first, in the order in which they were sent, then the event
 * with which the conversation has ended.
 */
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/await.h"
#include "libatmi/call/context.h"
#include "libatmi/converse/converse.h"
#include "libatmi/call/deliver.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/timeout.h"
#include "libatmi/converse/ends/post.h"
#include "libatmi/converse/ends/conversation.h"

static int check_args(char *const *data)
{
	struct ow_buf_info info;

	if (data == NULL)
		return ow_tp_fail(TPEINVAL, "data is NULL");
	if (*data != NULL && ow_buf_find(*data, &info) != 0)
		return ow_tp_fail(TPEINVAL, "*data %p is not a buffer from "
				  "tpalloc(), or was freed", (void *)*data);
	return 0;
}

/* Nothing is kept. See what has come: 0, or EMPTY. */
static int look(struct ow_ctx *c, struct ow_conv *t)
{
	uint64_t now = ow_clock_mono_ns();

	ow_await_take_in(c);
	if (t->first == NULL && t->state == OW_CONV_OPEN &&
	    (now >= t->look_ns || !ow_conv_is_there(c->convs, t)))
		ow_converse_look(c, t, now);
	return t->first != NULL || t->state == OW_CONV_OVER ? 0
							    : OW_QUEUE_EMPTY;
}

/* Wait until a message is there: 0 with *ret, the first one; OVER; EMPTY,
 * TIMEOUT, SIGNAL, -errno. */
static int await(struct ow_ctx *c, struct ow_conv *t, uint64_t deadline,
		 long flags, struct ow_envelope **ret)
{
	bool direct = false;
	int r = 0;

	while (r == 0 && !direct && t->first == NULL &&
	       t->state == OW_CONV_OPEN) {
		r = flags & TPNOBLOCK
			? look(c, t)
			: ow_converse_wait(c, t, deadline, &direct);
		if (r == OW_QUEUE_SIGNAL && (flags & TPSIGRSTRT))
			r = 0;
	}
	ow_converse_waited(c, t);
	if (r != 0)
		return r;
	if (!direct && t->first == NULL)
		return OW_CONVERSE_OVER;
	*ret = direct ? &c->in : &t->first->e;
	return 0;
}

/* The message becomes *data: 0, or -1 with tperrno. */
static int deliver(struct ow_ctx *c, struct ow_conv *t, struct ow_envelope *e,
		   char **data, long *len, long flags)
{
	int r = ow_deliver_content(e, data, len, flags);

	ow_conv_fetched(t, e->head);
	if (e == &c->in)
		ow_envelope_close(e);
	else
		ow_conv_shift(t);
	if (t->state == OW_CONV_OPEN && ow_conv_owes(t))
		ow_conv_acknowledge(c->convs, t);
	return r;
}

static int fail(struct ow_ctx *c, const struct ow_conv *t, int r)
{
	if (r == OW_QUEUE_EMPTY)
		ow_ctx_settle(c);
	if (r == OW_QUEUE_EMPTY)
		return ow_tp_fail(TPEBLOCK, "conversation %d: no message is "
				  "there", t->cd);
	return ow_converse_fail(c, r, "a message of the other end");
}

int tprecv(int cd, char **data, long *len, long flags, long *revent)
{
	OW_SHARED;
	enum ow_conv_turn turn;
	struct ow_envelope *e = NULL;
	struct ow_ctx *c;
	struct ow_conv *t;
	long unwanted;
	int r;

	ow_tp_clear();
	if (len == NULL)
		len = &unwanted;
	if (revent != NULL)
		*revent = 0;
	if (ow_converse_find(cd, &c, &t) != 0 || check_args(data) != 0)
		return -1;
	turn = t->turn;
	if (turn == OW_TURN_OURS)
		return ow_tp_fail(TPEPROTO, "conversation %d: this end is to "
				  "send", cd);
	r = await(c, t, ow_timeout_deadline(c, flags, ow_clock_mono_ns()),
		  flags | c->sig_flag, &e);
	if (r == OW_CONVERSE_OVER)
		return ow_converse_event(c, t, data, len, flags, revent);
	if (r != 0)
		return fail(c, t, r);
	if (deliver(c, t, e, data, len, flags) != 0)
		return -1;
	if (t->turn == turn)
		return 0;
	if (revent != NULL)
		*revent = TPEV_SENDONLY;
	return ow_tp_fail(TPEEVENT, "TPEV_SENDONLY: this end is to send");
}
