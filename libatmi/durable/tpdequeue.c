/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpdequeue.c - take a message out of a durable queue
 */
#include <errno.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/durable/ask.h"
#include "libatmi/durable/branch.h"

/* What comes from tmqueue, beside `flags` as it sets them. */
#define ANSWER_FLAGS                                                       \
	(TPQMSGID | TPQCORRID | TPQPRIORITY | TPQREPLYQ | TPQFAILUREQ)

/* TPNOCHANGE: a message of another type than that of *data stays in its queue. */
static int want_type(struct ow_mq_question *q, char *data)
{
	struct ow_buf_info info;

	if (data != NULL && ow_buf_find(data, &info) != 0)
		return ow_tp_fail(TPEINVAL, "*data %p is not a buffer from "
				  "tpalloc(), or was freed", (void *)data);
	if ((q->flags & TPNOCHANGE) == 0)
		return 0;
	if (data == NULL) { /* there is no type to keep */
		q->head.flags &= ~(uint32_t)TPNOCHANGE;
		return 0;
	}
	q->head.type = (uint8_t)info.type;
	strcpy(q->head.subtype, info.subtype);
	return 0;
}

static void fill_control(TPQCTL *ctl, const struct ow_mq_answer *a)
{
	const struct ow_mq_ctl *from = &a->ctl;

	ctl->flags = (ctl->flags & ~(long)ANSWER_FLAGS) |
		     (long)(from->flags & ANSWER_FLAGS);
	ctl->priority = from->priority;
	ctl->urcode = from->urcode;
	ctl->appkey = from->appkey;
	ctl->delivery_qos = from->delivery_qos;
	ctl->reply_qos = from->reply_qos;
	memcpy(ctl->msgid, from->msgid, sizeof(ctl->msgid));
	memcpy(ctl->corrid, from->corrid, sizeof(ctl->corrid));
	strcpy(ctl->replyqueue, from->replyqueue);
	strcpy(ctl->failurequeue, from->failurequeue);
	memcpy(ctl->cltid.clientdata, a->cltid, sizeof(a->cltid));
}

/* The message becomes the program's buffer. It has left its queue; one that cannot
 * be read here comes back: with its transaction, or it is put back. */
static int deliver(struct ow_mq_question *q, char **data, long *len)
{
	const struct ow_mq_answer *a = &q->answer;
	int r = ow_mq_payload_read(a->type, a->sub_len, q->payload, a->len,
				   data, len);

	if (r == -EPROTOTYPE)
		return ow_tp_fail(TPEITYPE, "the view of the message is not "
				  "the one here");
	if (r == -ENOMEM)
		return ow_tp_fail(TPEOS, "no memory for the message");
	return r == 0 ? 0 : ow_tp_fail(TPESYSTEM, "the message is damaged");
}

static int dequeue(struct ow_mq_question *q, const char *qname, TPQCTL *ctl,
		   char **data, long *len, long flags)
{
	int r;

	if (data == NULL || len == NULL)
		return ow_tp_fail(TPEINVAL, "data or len is NULL");
	if (ow_mq_begin(q, OW_MQ_DEQUEUE, qname, ctl, flags) != 0 ||
	    want_type(q, *data) != 0)
		return -1;
	ow_mq_join(q);
	q->waits = (ctl->flags & TPQWAIT) != 0 && (flags & TPNOBLOCK) == 0;
	if (!q->waits)
		q->head.ctl.flags &= ~TPQWAIT;
	if (ow_mq_ask(q, ctl, NULL, 0) != 0)
		return -1;
	fill_control(ctl, &q->answer);
	r = deliver(q, data, len);
	if (r != 0 && !q->head.in_tran && (q->head.ctl.flags & TPQPEEK) == 0)
		ow_mq_put_back(q);
	ow_mq_end(q);
	if (r == 0)
		ow_ctx_did(ow_ctx_get(), OW_DONE_DEQUEUE);
	/* Nobody has the message: the transaction brings it back. */
	return r == 0 ? 0 : ow_ctx_work_lost(ow_ctx_get(), flags);
}

int tpdequeue(char *qspace, char *qname, TPQCTL *ctl, char **data, long *len,
	      long flags)
{
	OW_SHARED;
	struct ow_mq_question q;

	ow_tp_clear();
	q.sent = false;
	if (ow_mq_to_space(&q, qspace) != 0 ||
	    dequeue(&q, qname, ctl, data, len, flags) != 0)
		return ow_mq_failed(&q);
	return 0;
}

int tpdequeueex(short nodeid, short srvid, char *qname, TPQCTL *ctl,
		char **data, long *len, long flags)
{
	OW_SHARED;
	struct ow_mq_question q;

	ow_tp_clear();
	q.sent = false;
	if (ow_mq_to_server(&q, nodeid, srvid) != 0 ||
	    dequeue(&q, qname, ctl, data, len, flags) != 0)
		return ow_mq_failed(&q);
	return 0;
}
