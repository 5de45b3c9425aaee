/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpreturn.c - end a service function with a reply
 *
 * Station 6 of a call: after dispatch.c, before reply/send.c. The caller gets
 * a reply in any case: TPESVCERR if the data are not a buffer.
 */
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/owned.h"
#include "libatmi/base/probe.h"
#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/content.h"
#include "libatmi/converse/converse.h"
#include "libatmi/log/log.h"
#include "libatmi/waking/yield.h"
#include "libatmisrv/continued.h"
#include "libatmisrv/convert.h"
#include "libatmisrv/dispatch.h"
#include "libatmisrv/tran_scope.h"
#include "libatmisrv/server.h"

/* The tperrno of the caller. */
static int outcome(int rval, long rcode, long flags)
{
	if (flags & TPSOFTTIMEOUT)
		return TPETIME;
	if (flags & TPSOFTENOENT)
		return TPENOENT;
	if (flags & TPSOFTERR)
		return rcode > TPMINVAL && rcode <= TPMAXVAL ? (int)rcode
							     : TPESVCERR;
	return rval == TPSUCCESS ? 0 : TPESVCFAIL;
}

/* In a conversation reply->tperr becomes another one if the service ends while
 * it is the other end's turn to send. False: the other end has left, and gets
 * no reply. */
static bool is_wanted(struct ow_server *s, struct ow_reply *reply,
		      const char *data)
{
	int tperr =
	    ow_converse_outcome(s->ctx, s->rq.conv, reply->tperr, data != NULL);

	if (tperr >= 0)
		reply->tperr = tperr;
	return tperr >= 0;
}

static void send_reply(struct ow_server *s, struct ow_reply *reply)
{
	int r = ow_reply_send(s->dom, s->replier, reply);

	if (r == OW_REPLY_NOROOM ||
	    (r < 0 && reply->content != NULL &&
	     reply->content->payload.len != 0)) {
		log_error("reply: %s: %s: the caller gets TPEOS",
			  s->dom->shm_dir, r < 0 ? ow_owned_strerror(r) : "full");
		s->rq.failed = s->rq.unsent = true;
		s->rq.tperr = TPEOS;
		reply->tperr = TPEOS;
		reply->cause = "no shared memory for its answer";
		reply->content = NULL;
		r = ow_reply_send(s->dom, s->replier, reply);
	}
	if (r == OW_REPLY_UNWANTED || r == OW_REPLY_FULL)
		atomic_fetch_add(&s->slot->lost_replies, 1);
	else if (r < 0)
		log_error("reply: %s", ow_owned_strerror(r));
	if (r != 0 && r != OW_REPLY_POSTPONED)
		s->rq.unsent = true;
}

/* The reply carries the buffer `data`, or the error that it is none. */
static void begin_content(struct ow_server *s, struct ow_reply *reply,
			  struct ow_sending *sending, char *data, long len)
{
	if (ow_content_begin(sending, data, len) == 0) {
		ow_content_offer(sending, &s->rq.envelope);
		reply->content = &sending->content;
		return;
	}
	log_error("tpreturn: data %p, length %ld: not a buffer of tpalloc() "
		  "that can be sent", (void *)data, len);
	reply->tperr = TPESVCERR;
	if (s->rq.conv < 0)
		reply->cause = "it gave tpreturn() no buffer of tpalloc() that "
			       "can be sent";
}

/* Its end may make a success an error, which says why. */
static void leave_transaction(struct ow_server *s, struct ow_reply *reply,
			      char why[OW_TP_DETAIL])
{
	int tperr = ow_tran_scope_end(s, reply->tperr);

	if (tperr != reply->tperr && s->rq.conv < 0) {
		strcpy(why, ow_tp_detail());
		reply->cause = why;
	}
	ow_tp_clear();
	reply->tperr = tperr;
	s->rq.tperr = tperr;
}

static void stop(struct ow_server *s)
{
	if (s->main != NULL)
		s->hooks->exit(s, false);
	else
		s->stop = true;
}

void tpreturn(int rval, long rcode, char *data, long len, long flags)
{
	struct ow_server *s = ow_server_used();
	struct ow_reply reply = { .urcode = rcode };
	struct ow_sending sending;
	char *answer = data, why[OW_TP_DETAIL];
	bool wanted;

	ow_tp_clear();
	if ((s == NULL || !s->rq.active || s->rq.returned) &&
	    !ow_continued_resume(s)) {
		ow_tp_fail(TPEPROTO, "tpreturn() outside of a service");
		return;
	}
	wanted = s->rq.msg->cd != 0;
	reply.request = s->rq.msg;
	reply.deadline = s->rq.msg->deadline_ns;
	reply.tperr = outcome(rval, rcode, flags);
	if (rcode == (long)OW_URCODE_UNBEGUN && !s->passes_on)
		reply.urcode = 0; /* no service says of itself that it was
				     not begun, as when it passes on tpurcode */
	if (s->rq.msg->answer_as != 0)
		answer = ow_convert_answer(s->rq.msg, data);
	if (answer == NULL && data != NULL) {
		reply.tperr = TPESVCERR;
		reply.cause = "its answer cannot be converted to what the "
			      "caller sent (-x)";
	}
	if (s->rq.conv >= 0)
		wanted = is_wanted(s, &reply, data);
	begin_content(s, &reply, &sending, answer, len);
	if ((s->ctx->away & OW_CTX_TRAN) != 0 || s->rq.own_tran != 0)
		leave_transaction(s, &reply, why);
	OW_PROBE3(service_end, s->offers[s->slot->cur_adv - 1].name,
		  s->rq.msg->span_id, reply.tperr);
	s->rq.failed = reply.tperr != 0;
	s->rq.tperr = reply.tperr;
	ow_dispatch_count(s);
	reply.is_long = ow_yield_is_long(&s->dom->waking, s->rq.took_ns);
	if (wanted)
		send_reply(s, &reply);
	ow_content_end(&sending);
	if (rval == TPEXIT) /* ndrxd starts it again: not tpexit() */
		stop(s);
	s->rq.returned = true;
	if (answer != data)
		ow_buf_free_deep(data);
	ow_buf_free_deep(sending.buffer);
	ow_buf_free_auto();
	if (!s->no_longjmp)
		ow_dispatch_leave(s);
	ow_continued_end(s);
}
