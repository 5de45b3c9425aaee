/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpforward.c - end a service function by forwarding the request
 *
 * The new request has the caller's reply address and deadline, so the next
 * service replies to the caller. If the request cannot be forwarded, the
 * caller gets TPESVCERR.
 */
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/request.h"
#include "libatmi/log/log.h"
#include "libatmisrv/dispatch.h"
#include "libatmisrv/server.h"

static int forward(struct ow_server *s, char *svc, char *data, long len,
		   long flags)
{
	struct ow_request rq;

	if (ow_request_begin(&rq, svc, data, len) != 0)
		return -1;
	rq.flags = flags | TPSIGRSTRT;
	rq.deadline = s->rq.msg->deadline_ns;
	rq.origin = s->rq.msg;
	ow_content_offer(&rq.data, &s->rq.envelope);
	return ow_request_end(&rq, ow_request_send(s->ctx, &rq));
}

void tpforward(char *svc, char *data, long len, long flags)
{
	struct ow_server *s = ow_server_self();

	ow_tp_clear();
	if (s == NULL || !s->rq.active || s->rq.returned) {
		ow_tp_fail(TPEPROTO, "tpforward() outside of a service");
		return;
	}
	ow_dispatch_count(s);
	if (forward(s, svc, data, len, flags) != 0) {
		log_error("tpforward: %s", tpstrerror(tperrno));
		ow_dispatch_fail(s, TPESVCERR);
	}
	s->rq.returned = true;
	ow_buf_free_deep(data);
	ow_buf_free_auto();
	if (!s->no_longjmp)
		ow_dispatch_leave(s);
}
