/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - one question to a tmqueue, with its answer
 */
#include "libatmi/durable/ask.h"

#include <stdio.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/request.h"
#include "libatmi/call/timeout.h"
#include "libatmi/call/spans.h"
#include "libubf/base/compatible.h"

/* Of the flags of the public functions, those of the call. */
#define CALL_FLAGS (TPNOTRAN | TPSIGRSTRT | TPNOTIME | TPNOBLOCK)

/* ---- errors ---- */

static int fail(TPQCTL *ctl, int tperr, int diagnostic, const char *why)
{
	ctl->diagnostic = diagnostic;
	snprintf(ctl->diagmsg, sizeof(ctl->diagmsg), "%s", why);
	return ow_tp_fail(tperr, "%s", why);
}

static int fail_argument(TPQCTL *ctl, const char *why)
{
	return fail(ctl, TPEINVAL, QMEINVAL, why);
}

/* ---- the question ---- */

int ow_mq_to_space(struct ow_mq_question *q, const char *qspace)
{
	if (qspace == NULL || *qspace == '\0')
		return ow_tp_fail(TPEINVAL, "the queue space has no name");
	if (strnlen(qspace, TMQNAMELEN + 1) > TMQNAMELEN)
		return ow_tp_fail(TPEINVAL, "queue space %.20s...: longer than "
				  "%d characters", qspace, TMQNAMELEN);
	snprintf(q->svc, sizeof(q->svc), OW_MQ_SPACE, qspace);
	return 0;
}

int ow_mq_to_server(struct ow_mq_question *q, int nodeid, int srvid)
{
	if (nodeid <= 0 || srvid <= 0)
		return ow_tp_fail(TPEINVAL, "node %d, server %d: both numbers "
				  "begin at 1", nodeid, srvid);
	snprintf(q->svc, sizeof(q->svc), OW_MQ_SERVER, nodeid, srvid);
	return 0;
}

/* Members that flags do not name do not matter: the structure of the program may
 * have anything there. */
static bool names(const TPQCTL *ctl, enum ow_mq_op op, long flag)
{
	return op == OW_MQ_ENQUEUE && (ctl->flags & flag) != 0;
}

static bool is_name(const char *queue)
{
	size_t n = strnlen(queue, TMQNAMELEN + 1);

	return n > 0 && n <= TMQNAMELEN;
}

/* What is wrong with the control block; NULL: nothing. */
static const char *wrong_control(const TPQCTL *ctl, enum ow_mq_op op)
{
	if (names(ctl, op, TPQTOP) && names(ctl, op, TPQBEFOREMSGID) &&
	    !ow_compat_enduro())
		return "TPQTOP and TPQBEFOREMSGID exclude each other";
	if (names(ctl, op, TPQREPLYQ) && !is_name(ctl->replyqueue))
		return "replyqueue: give a name of 1 to 15 characters";
	if (names(ctl, op, TPQFAILUREQ) && !is_name(ctl->failurequeue))
		return "failurequeue: give a name of 1 to 15 characters";
	if ((ctl->flags & TPQTIME_ABS) && (ctl->flags & TPQTIME_REL))
		return "TPQTIME_ABS and TPQTIME_REL exclude each other";
	if ((ctl->flags & (TPQTIME_ABS | TPQTIME_REL)) && ctl->deq_time < 0)
		return "deq_time is negative";
	if ((ctl->flags & (TPQEXPTIME_ABS | TPQEXPTIME_REL)) &&
	    ctl->exp_time < 0)
		return "exp_time is negative";
	if (op == OW_MQ_ENQUEUE && (ctl->flags & TPQPRIORITY) &&
	    (ctl->priority < 1 || ctl->priority > 100))
		return "priority: give 1 to 100";
	return NULL;
}

static void copy_control(struct ow_mq_ctl *to, const TPQCTL *ctl,
			 enum ow_mq_op op)
{
	to->flags = ctl->flags;
	if (ow_compat_enduro())
		to->flags &= ~(int64_t)(TPQTOP | TPQBEFOREMSGID);
	to->deq_time = ctl->deq_time;
	to->exp_time = ctl->exp_time;
	to->priority = ctl->priority;
	to->urcode = ctl->urcode;
	to->appkey = ctl->appkey;
	to->delivery_qos = ctl->delivery_qos;
	to->reply_qos = ctl->reply_qos;
	memcpy(to->msgid, ctl->msgid, sizeof(to->msgid));
	memcpy(to->corrid, ctl->corrid, sizeof(to->corrid));
	if (names(ctl, op, TPQREPLYQ))
		strcpy(to->replyqueue, ctl->replyqueue);
	if (names(ctl, op, TPQFAILUREQ))
		strcpy(to->failurequeue, ctl->failurequeue);
}

int ow_mq_begin(struct ow_mq_question *q, enum ow_mq_op op, const char *qname,
		TPQCTL *ctl, long flags)
{
	const char *wrong;

	memset(&q->head, 0, sizeof(q->head));
	q->reply = (struct ow_system_answer){ .data = NULL };
	q->flags = flags;
	q->waits = false;
	if (ctl == NULL)
		return ow_tp_fail(TPEINVAL, "ctl is NULL");
	ctl->diagnostic = 0;
	ctl->diagmsg[0] = '\0';
	if (qname == NULL || *qname == '\0')
		return fail_argument(ctl, "the queue has no name");
	if (strnlen(qname, TMQNAMELEN + 1) > TMQNAMELEN)
		return fail_argument(ctl, "the name of the queue is longer "
					  "than 15 characters");
	wrong = wrong_control(ctl, op);
	if (wrong != NULL)
		return fail_argument(ctl, wrong);
	q->head.op = (uint16_t)op;
	q->head.flags = (uint32_t)flags;
	strcpy(q->head.queue, qname);
	copy_control(&q->head.ctl, ctl, op);
	return 0;
}

/* ---- sent and answered ---- */

/* Send the question with the payload `k`; NULL: none. */
static int send_question(struct ow_ctx *c, struct ow_mq_question *q,
			 const struct ow_content *k, uint64_t deadline,
			 struct ow_system_call *call)
{
	struct ow_mq_request *head = &q->head;

	*call = (struct ow_system_call){ .svc = q->svc,
					 .flags = q->flags & CALL_FLAGS,
					 .deadline = deadline };
	head->magic = OW_MQ_MESSAGE;
	ow_system_add(call, head, sizeof(*head));
	if (k != NULL) {
		head->type = k->type;
		head->sub_len = k->sub_len;
		head->len = k->sub_len + k->payload.len;
		ow_system_add_content(call, k);
	}
	return ow_system_send(c, call);
}

int ow_mq_await(struct ow_ctx *c, struct ow_mq_question *q,
		struct ow_system_call *call, bool signals)
{
	int r = ow_system_await(c, call, signals, &q->reply);

	if (r == 0 &&
	    ow_mq_answer_read(q->reply.data, (long)q->reply.len, &q->answer,
			      &q->payload) != 0)
		r = ow_tp_fail(TPESYSTEM, "%s gave no answer of a tmqueue",
			       q->svc);
	if (r == -1)
		ow_mq_end(q);
	return r;
}

void ow_mq_end(struct ow_mq_question *q)
{
	struct ow_ctx *c = ow_ctx_peek();

	if (c != NULL)
		ow_system_done(c, &q->reply);
}

static uint64_t with_grace(uint64_t deadline)
{
	return deadline == OW_DEADLINE_NEVER ? deadline
					     : deadline + OW_MQ_GRACE_NS;
}

int ow_mq_failed(const struct ow_mq_question *q)
{
	if (!q->sent)
		ow_tp_unbegun();
	return -1;
}

/* Tell tmqueue that nobody waits any more: 1 if nothing was taken for us, 0 if
 * the answer is under way, -1 with tperrno. */
static int cancel(struct ow_ctx *c, const struct ow_mq_question *of)
{
	struct ow_mq_question q = { .flags = TPSIGRSTRT | TPNOTRAN };
	struct ow_system_call call;
	int r;

	memcpy(q.svc, of->svc, sizeof(q.svc));
	q.head.op = OW_MQ_CANCEL;
	q.head.token = of->head.token;
	r = send_question(c, &q, NULL, ow_clock_mono_ns() + OW_MQ_GRACE_NS,
			  &call);
	if (r == 0)
		r = ow_mq_await(c, &q, &call, false);
	if (r == 0)
		r = q.answer.count != 0;
	ow_mq_end(&q);
	return r;
}

/* A signal came while tmqueue lets us wait. */
static int interrupted(struct ow_ctx *c, struct ow_mq_question *q,
		       struct ow_system_call *call)
{
	int r = cancel(c, q);

	if (r == 0)
		return ow_mq_await(c, q, call, false);
	ow_system_drop(c, call);
	return r < 0 ? r : ow_tp_fail(TPGOTSIG, "signal while waiting for a "
				      "message");
}

/* The question was not sent. A program knows queue spaces, not our services. */
static int not_sent(struct ow_ctx *c, const struct ow_mq_question *q)
{
	char space[sizeof(q->svc)];

	if (tperrno == TPENOENT && sscanf(q->svc, OW_MQ_SPACE, space) == 1)
		ow_tp_fail(TPENOENT, "no tmqueue has the queue space %s",
			   space);
	return ow_ctx_unsent(c, q->flags);
}

static int ask(struct ow_ctx *c, struct ow_mq_question *q,
	       const struct ow_content *k)
{
	uint64_t now = ow_clock_mono_ns();
	uint64_t deadline = ow_timeout_deadline(c, q->flags, now);
	struct ow_system_call call;
	int r;

	q->flags |= c->sig_flag;
	q->head.deadline_ns = deadline;
	q->head.token = ++c->next_seq;
	if (send_question(c, q, k, with_grace(deadline), &call) != 0)
		return not_sent(c, q);
	q->sent = true;
	r = ow_mq_await(c, q, &call, q->waits && (q->flags & TPSIGRSTRT) == 0);
	if (r == OW_SYSTEM_SIGNAL)
		r = interrupted(c, q, &call);
	if (r == 0)
		return 0;
	/* A signal: tmqueue has confirmed that nothing was taken. */
	return tperrno == TPGOTSIG ? ow_ctx_unsent(c, q->flags)
				   : ow_ctx_work_lost(c, q->flags);
}

/* The error in an answer, as that of the public function. */
static int judge(struct ow_ctx *c, struct ow_mq_question *q, TPQCTL *ctl)
{
	if (q->answer.tperr == 0)
		return 0;
	ow_mq_end(q);
	fail(ctl, q->answer.tperr, q->answer.diagnostic, q->answer.why);
	/* An empty queue, or one that is not defined, dooms nothing. */
	if (q->answer.tperr == TPEOS || q->answer.tperr == TPESYSTEM ||
	    q->answer.diagnostic == QMEABORTED)
		(void)ow_ctx_work_lost(c, q->flags);
	return -1;
}

static int ask_and_judge(struct ow_ctx *c, struct ow_mq_question *q,
			 TPQCTL *ctl, const struct ow_content *k)
{
	bool puts = q->head.op == OW_MQ_ENQUEUE;
	struct ow_traced_scope s;
	int r;

	ow_traced_enter(c, &s, puts ? OW_SPAN_ENQUEUE : OW_SPAN_DEQUEUE,
			q->svc);
	memcpy(s.span.queue, q->head.queue, sizeof(s.span.queue));
	r = ask(c, q, puts ? k : NULL);
	r = r == 0 ? judge(c, q, ctl) : -1;
	ow_traced_leave(c, &s, r == 0 ? 0 : tperrno);
	return r;
}

int ow_mq_ask(struct ow_mq_question *q, TPQCTL *ctl, char *data, long len)
{
	struct ow_sending s;
	struct ow_ctx *c = ow_ctx_get();
	int r;

	if (c == NULL || ow_request_content(&s, data, len) != 0)
		return -1;
	if (s.content.sub_len + s.content.payload.len > OW_MQ_BYTES_MAX) {
		ow_content_end(&s);
		return fail_argument(ctl, "a message has at most 64 MB");
	}
	r = ow_ctx_need_domain(c);
	if (r == OW_CTX_GUEST)
		r = ow_tp_fail(TPEPERM, "guests have no durable queues: a "
			       "service of the domain enqueues for them");
	if (r == 0)
		r = ask_and_judge(c, q, ctl, &s.content);
	ow_content_end(&s);
	return r;
}
