/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpenqueue.c - put a message into a durable queue
 *
 * When it returns 0 the message is on disk.
 */
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/durable/ask.h"
#include "libatmi/durable/branch.h"

static int enqueue(struct ow_mq_question *q, const char *qname, TPQCTL *ctl,
		   char *data, long len, long flags)
{
	if (ow_mq_begin(q, OW_MQ_ENQUEUE, qname, ctl, flags) != 0)
		return -1;
	ow_mq_join(q);
	if (len < 0)
		return ow_tp_fail(TPEINVAL, "length %ld is negative", len);
	if (ow_mq_ask(q, ctl, data, len) != 0)
		return -1;
	memcpy(ctl->msgid, q->answer.ctl.msgid, sizeof(ctl->msgid));
	ow_mq_end(q);
	ow_ctx_did(ow_ctx_get(), OW_DONE_ENQUEUE);
	return 0;
}

int tpenqueue(char *qspace, char *qname, TPQCTL *ctl, char *data, long len,
	      long flags)
{
	OW_SHARED;
	struct ow_mq_question q;

	ow_tp_clear();
	q.sent = false;
	if (ow_mq_to_space(&q, qspace) != 0 ||
	    enqueue(&q, qname, ctl, data, len, flags) != 0)
		return ow_mq_failed(&q);
	return 0;
}

int tpenqueueex(short nodeid, short srvid, char *qname, TPQCTL *ctl, char *data,
		long len, long flags)
{
	OW_SHARED;
	struct ow_mq_question q;

	ow_tp_clear();
	q.sent = false;
	if (ow_mq_to_server(&q, nodeid, srvid) != 0 ||
	    enqueue(&q, qname, ctl, data, len, flags) != 0)
		return ow_mq_failed(&q);
	return 0;
}
