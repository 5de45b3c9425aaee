/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpforward.c - end a service function by handing the request on
 *
 * The new request carries the caller's reply address and deadline: the caller
 * notices nothing. If it cannot be handed on, the caller gets TPESVCERR.
 */
#include <xatmi.h>

#include "libatmi/log/log.h"
#include "libatmi/call/request.h"
#include "libatmi/base/tperror.h"
#include "libatmisrv/server.h"

static int forward(struct ow_server *s, char *svc, char *data, long len,
		   long flags)
{
	struct ow_request rq;

	if (ow_request_check(&rq, svc, data, len) != 0)
		return -1;
	rq.flags = flags | TPSIGRSTRT;
	rq.deadline_ns = s->job.msg->deadline_ns;
	rq.origin = s->job.msg;
	if (rq.info.view == NULL && data != NULL)
		rq.block = ow_buf_block(data);
	if (ow_request_send(s->ctx, &rq) != 0)
		return -1;
	if (rq.block != 0) {
		s->job.given = rq.block;
		ow_buf_give(data);
	}
	return 0;
}

void tpforward(char *svc, char *data, long len, long flags)
{
	struct ow_server *s = ow_server_self();

	ow_tp_clear();
	if (s == NULL || !s->job.active || s->job.returned) {
		ow_tp_fail(TPEPROTO, "tpforward() outside of a service");
		return;
	}
	ow_dispatch_count(s);
	if (forward(s, svc, data, len, flags) != 0) {
		log_error("tpforward: %s", tpstrerror(tperrno));
		ow_dispatch_fail(s, TPESVCERR);
	}
	s->job.returned = true;
	ow_buf_free_deep(data);
	ow_buf_free_auto();
	if (!s->no_longjmp)
		ow_dispatch_leave(s);
}
