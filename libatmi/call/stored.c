/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored.c - one-way calls of durable services go to a tmqueue
 */
#include "libatmi/call/stored.h"

#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/draft.h"
#include "libatmi/call/priority.h"
#include "libatmi/call/system.h"
#include "libatmi/domain/tables.h"
#include "libatmi/wire/stored.h"

static uint64_t with_grace(uint64_t deadline)
{
	return deadline == OW_DEADLINE_NEVER ? deadline
					     : deadline + OW_STORED_GRACE_NS;
}

/* The priority that the request would have in the queue of its service. */
static uint8_t priority_of(struct ow_ctx *c, const struct ow_request *rq)
{
	int at = ow_svc_find(c->dom->tables, rq->svc);

	return at < 0 ? 0
		      : (uint8_t)ow_priority_take(c, &c->dom->tables->svc[at]);
}

/* 0, or -1 with tperrno. */
static int compose(struct ow_ctx *c, struct ow_request *rq,
		   struct ow_stored_head *head, struct ow_system_call *q)
{
	const struct ow_content *k = &rq->data.content;

	*head = (struct ow_stored_head){ .magic = OW_STORED_MAGIC,
					 .type = k->type,
					 .sub_len = k->sub_len,
					 .deadline_ns = rq->deadline,
					 .len = k->sub_len + k->payload.len };
	if (head->len > OW_STORED_MOST)
		return ow_tp_fail(TPELIMIT, "%s is durable: a one-way call of "
				  "it has at most 64 MB", rq->svc);
	head->prio = priority_of(c, rq);
	snprintf(head->service, sizeof(head->service), "%s", rq->svc);
	*q = (struct ow_system_call){
		.svc = OW_STORED_SERVICE,
		.flags = TPNOTRAN | TPSIGRSTRT | (rq->flags & TPNOBLOCK),
		.deadline = with_grace(rq->deadline),
		.vouched = (rq->how & OW_REQUEST_VOUCHED) != 0,
	};
	ow_system_add(q, head, sizeof(*head));
	ow_system_add_content(q, k);
	return 0;
}

/* The error of a question that was not sent, in words of the caller. */
static int not_sent(const struct ow_request *rq)
{
	if (tperrno != TPENOENT)
		return -1;
	return ow_tp_fail(TPENOENT, "service %s is durable, and no tmqueue "
			  "stores its one-way calls: one with a queue > in "
			  "its q.conf must run", rq->svc);
}

static int judge(const struct ow_request *rq, const struct ow_system_answer *a)
{
	struct ow_stored_answer answer = { .magic = 0 };

	if (a->data != NULL && a->len == sizeof(answer))
		memcpy(&answer, a->data, sizeof(answer));
	if (answer.magic != OW_STORED_ANSWER)
		return ow_tp_fail(TPESYSTEM, OW_STORED_SERVICE " gave no "
				  "answer of a tmqueue");
	answer.why[sizeof(answer.why) - 1] = '\0';
	return answer.tperr == 0 ? 0
				 : ow_tp_fail(answer.tperr, "%s is not stored: "
					      "%s", rq->svc, answer.why);
}

int ow_stored_ask(struct ow_ctx *c, struct ow_request *rq)
{
	struct ow_system_answer a = { .data = NULL };
	struct ow_stored_head head;
	struct ow_system_call q;
	int r;

	if (compose(c, rq, &head, &q) != 0)
		return -1;
	r = ow_system_call(c, &q, &a);
	r = r == 0 ? judge(rq, &a) : not_sent(rq);
	ow_system_done(c, &a);
	return r;
}

int ow_stored_tell(struct ow_ctx *c, struct ow_request *rq)
{
	struct ow_stored_head head;
	struct ow_system_call q;

	return compose(c, rq, &head, &q) != 0	? -1
	       : ow_system_tell(c, &q) == 0	? 0
						: not_sent(rq);
}
