/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - a frame from another node becomes a request of this one
 */
#include <string.h>
#include <xatmi.h>

#include "libatmi/call/context.h"
#include "libatmi/call/request.h"
#include "libatmi/call/stored.h"
#include "libatmi/call/svcq.h"
#include "libatmi/domain/tables.h"
#include "libatmi/post/message.h"
#include "libatmi/unsol/remote.h"
#include "libatmi/wire/msg.h"
#include "libatmi/wire/stored.h"
#include "servers/bridge/in/question.h"
#include "servers/bridge/in/request.h"

void ow_br_request_fill(struct ow_ctx *c, const struct ow_br_frame *f,
			char *payload, uint64_t deadline,
			struct ow_request *rq)
{
	struct ow_content *data = &rq->data.content;
	struct ow_msg m;

	memset(&m, 0, sizeof(m));
	memset(rq, 0, sizeof(*rq));
	rq->svc = f->svc;
	rq->how = OW_REQUEST_VOUCHED | OW_REQUEST_REMOTE;
	rq->flags = (long)(f->flags & (TPNOTRAN | TPNOTIME)) | TPNOBLOCK |
		    (f->id == 0 ? TPNOREPLY : 0);
	if (f->kind == OW_BR_REQUEST)
		rq->how |= OW_REQUEST_STORABLE;
	rq->tran = (uint64_t)f->urcode;
	rq->deadline = deadline;
	if (f->kind == OW_BR_REQUEST)
		rq->how |= f->flags & OW_REQUEST_FORWARDED;
	if (f->kind == OW_BR_REQUEST && (f->flags & OW_BR_IN_TRAN)) {
		rq->tran_log = f->log == 0 ? 0
					   : (int32_t)(f->log | 0x80000000u);
		rq->flags |= (long)(f->flags & TPNOABORT);
	} else if (rq->tran != 0) {
		rq->how |= OW_REQUEST_REMOTE_CALLER;
	}
	rq->data.info.type = (enum ow_buf_type)f->buftype;
	data->type = f->buftype;
	data->sub_len = f->sub_len;
	memcpy(data->subtype, payload, f->sub_len);
	data->payload.data = payload + f->sub_len;
	data->payload.len = f->total - f->sub_len;
	memcpy(m.trace_id, f->trace_id, sizeof(m.trace_id));
	memcpy(m.span_id, f->span_id, sizeof(m.span_id));
	m.trace_flags = f->trace_flags;
	ow_trace_enter(&c->trace, &m);
	c->prio_set = f->prio != 0 ? OW_PRIORITY_ABSOLUTE : OW_PRIORITY_NONE;
	c->prio_value = f->prio;
}

int ow_br_request_send(struct ow_ctx *c, struct ow_request *rq)
{
	int r = ow_request_send(c, rq);

	return r == OW_REQUEST_STORED ? ow_stored_tell(c, rq) : r;
}

int ow_br_request_queue(struct ow_ctx *c, const struct ow_br_frame *f,
			struct ow_svcq **ret)
{
	int r = ow_svcq_find_despite(c, f->svc, OW_SVC_CACHED, ret);

	if (r != OW_SVCQ_DURABLE)
		return r;
	return ow_svcq_find_despite(c, f->id == 0 ? OW_STORED_SERVICE : f->svc,
				    OW_SVC_CACHED | OW_SVC_DURABLE, ret);
}

int ow_br_request_name(const struct ow_br_peers *ps, uint32_t node,
		       struct ow_br_frame *f, char *payload)
{
	if (f->kind == OW_BR_POST)
		strcpy(f->svc, OW_EVENT_POST);
	else if (ow_br_unsol_is(f))
		strcpy(f->svc, OW_UNSOL_SERVICE);
	else if (f->kind == OW_BR_QUESTION)
		return ow_br_question_arrive(ps, node, f, payload);
	return 0;
}
