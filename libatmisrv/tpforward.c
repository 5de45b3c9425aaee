/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpforward.c - end a service function by forwarding the request
 *
 * The new request has the caller's reply address and deadline, so the next
 * service replies to the caller. If the request cannot be forwarded, the
 * caller gets TPESVCERR; a conversation never can. Nobody hears of one-way
 * requests: they are named as lost. A one-way request for a durable service is
 * on disk when tpforward() ends.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/request.h"
#include "libatmi/call/stored.h"
#include "libatmi/log/log.h"
#include "libatmi/member/lost.h"
#include "libatmi/transport/block/block.h"
#include "libatmisrv/continued.h"
#include "libatmisrv/dispatch.h"
#include "libatmisrv/tran_scope.h"
#include "libatmisrv/server.h"

/* Where the request is on record. */
static struct ow_msg *record_of(const struct ow_server *s)
{
	if (s->dom->transport->recorded == NULL)
		return ow_block_msg(s->dom->blocks,
				    s->rq.envelope.payload.block);
	return s->rq.continued != NULL ? ow_continued_record(s)
				       : s->rq.envelope.head;
}

/* The service has failed, as it could not forward the request. */
static void fail(struct ow_server *s, const char *why, bool perhaps_stored)
{
	if (s->rq.msg->cd == 0 && !perhaps_stored)
		ow_lost_note(s->dom, s->rq.msg,
			     "its service could not forward it");
	ow_dispatch_fail(s, TPESVCERR, why);
}

/* *data becomes NULL if the buffer's block has gone with the request.
 * 0; -1 with tperrno; 1, the same, and tmqueue has perhaps stored it. */
static int forward(struct ow_server *s, char *svc, char **data, long len,
		   long flags)
{
	struct ow_msg origin = *s->rq.msg;
	struct ow_request rq;
	bool doubt = false;
	int r;

	origin.flags |= OW_MSG_FORWARDED;
	if (s->rq.own_tran != 0) {
		origin.tran = s->rq.own_tran;
		origin.tran_log = s->rq.own_log;
		origin.flags &= ~OW_MSG_REMOTE_CALLER;
		origin.flags |= OW_MSG_AUTOTRAN;
	}
	if (ow_request_begin(&rq, svc, *data, len) != 0)
		return -1;
	rq.flags = flags | TPSIGRSTRT;
	rq.deadline = s->rq.msg->deadline_ns;
	rq.origin = &origin;
	rq.record = record_of(s);
	/* One-way, and nothing is to be undone with it: a durable service has
	 * it stored, as if it had been called first. */
	if (origin.cd == 0 && ow_msg_tran(&origin) == 0) {
		rq.how |= OW_REQUEST_STORABLE;
		rq.flags |= TPNOREPLY;
	}
	ow_content_offer(&rq.data, &s->rq.envelope);
	r = ow_request_send(s->ctx, &rq);
	if (r == OW_REQUEST_STORED) {
		r = ow_stored_ask(s->ctx, &rq);
		doubt = tperrno == TPESVCERR || tperrno == TPETIME;
	}
	r = ow_request_end(&rq, r);
	*data = rq.data.buffer;
	return r != 0 && doubt ? 1 : r;
}

void tpforward(char *svc, char *data, long len, long flags)
{
	struct ow_server *s = ow_server_used();
	char why[OW_TP_DETAIL];
	int r;

	ow_tp_clear();
	if ((s == NULL || !s->rq.active || s->rq.returned) &&
	    !ow_continued_resume(s)) {
		ow_tp_fail(TPEPROTO, "tpforward() outside of a service");
		return;
	}
	ow_dispatch_count(s);
	if (s->rq.conv >= 0) {
		log_error("tpforward: a conversation cannot be forwarded");
		ow_dispatch_fail(s, TPESVCERR, "it would forward a "
				 "conversation");
	} else if (ow_tran_scope_pass_on(s) != 0) {
		strcpy(why, ow_tp_detail());
		fail(s, why, false);
	} else if ((r = forward(s, svc, &data, len, flags)) != 0) {
		log_error("tpforward: %s", tpstrerror(tperrno));
		snprintf(why, sizeof(why), "tpforward: %.200s",
			 tpstrerror(tperrno));
		ow_tran_scope_stays(s);
		fail(s, why, r == 1);
	}
	s->rq.own_tran = 0;
	s->rq.returned = true;
	ow_buf_free_deep(data);
	ow_buf_free_auto();
	if (!s->no_longjmp)
		ow_dispatch_leave(s);
	ow_continued_end(s);
}
