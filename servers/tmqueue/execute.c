/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execute.c - carry out one job in the store's transaction
 */
#include "servers/tmqueue/execute.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "servers/tmqueue/branch.h"
#include "servers/tmqueue/durable.h"
#include "servers/tmqueue/right.h"
#include "libatmi/base/clock.h"
#include "libatmi/wire/msg.h"

#define PRIORITY_DEFAULT 50
#define LAST_NS		 ((uint64_t)INT64_MAX) /* in the year 2262 */

static int fail_queue(struct job *j)
{
	char why[64];

	snprintf(why, sizeof(why), "queue %s is not defined", j->head.queue);
	return job_fail(j, TPEDIAGNOSTIC, QMEBADQUEUE, why);
}

uint64_t execute_adds(const struct job *j)
{
	bool moves = j->kind == JOB_REQUEST && j->head.op == OW_MQ_MOVE;

	return j->head.len + 4096 + (moves ? j->head.from : 0);
}

bool execute_removes(const struct job *j)
{
	/* What comes back has left room for itself. */
	return j->kind == JOB_ABANDONED || j->kind == JOB_RESTORE ||
	       (j->kind == JOB_REQUEST && j->head.op != OW_MQ_ENQUEUE &&
		j->head.op != OW_MQ_MOVE);
}

/* ---- enqueue ---- */

/* So many seconds behind `from`; one that no clock reaches is the last one. */
static uint64_t seconds(uint64_t from, int64_t s)
{
	uint64_t most = (LAST_NS - from) / OW_NS_PER_SEC;

	return (uint64_t)s < most ? from + (uint64_t)s * OW_NS_PER_SEC
				  : LAST_NS;
}

/* When the message can be taken; 0: at once. */
static uint64_t due_of(const struct ow_mq_ctl *c, const struct queue *q,
		       uint64_t now)
{
	uint64_t due = 0;

	if (c->flags & TPQTIME_ABS)
		due = seconds(0, c->deq_time);
	else if (c->flags & TPQTIME_REL)
		due = seconds(now, c->deq_time);
	else if (q->def.automatic && q->def.wait_init_ns != 0)
		due = now + q->def.wait_init_ns;
	return due > now ? due : 0;
}

static uint64_t expiry_of(const struct ow_mq_ctl *c, uint64_t now)
{
	if (c->flags & TPQEXPTIME_ABS)
		return c->exp_time > 0 ? seconds(0, c->exp_time) : 1;
	if (c->flags & TPQEXPTIME_REL)
		return seconds(now, c->exp_time);
	return 0;
}

static void fill_head(const struct job *j, const struct queue *q, uint64_t now,
		      struct message_head *h)
{
	const struct ow_mq_ctl *c = &j->head.ctl;

	memset(h, 0, sizeof(*h));
	h->flags = (uint32_t)(c->flags & (TPQCORRID | TPQREPLYQ | TPQFAILUREQ |
					  TPQPRIORITY));
	h->priority = c->flags & TPQPRIORITY ? (uint8_t)c->priority
					     : PRIORITY_DEFAULT;
	h->rank = q->def.mode == MODE_PRIORITY ? (uint8_t)(100 - h->priority)
					       : 0;
	h->type = j->head.type;
	h->sub_len = j->head.sub_len;
	h->urcode = c->urcode;
	h->appkey = c->appkey;
	h->delivery_qos = c->delivery_qos;
	h->reply_qos = c->reply_qos;
	h->since_ns = now;
	h->expires_ns = expiry_of(c, now);
	h->client_len = (uint32_t)sizeof(j->client);
	h->len = j->head.len;
	if (c->flags & TPQCORRID)
		memcpy(h->corrid, c->corrid, sizeof(h->corrid));
	if (c->flags & TPQREPLYQ)
		strcpy(h->replyqueue, c->replyqueue);
	if (c->flags & TPQFAILUREQ)
		strcpy(h->failurequeue, c->failurequeue);
}

/* The place before the message whose id is given. */
static int place_before(struct space *sp, struct queue *q, struct job *j,
			struct message *m)
{
	uint64_t number = message_number(&sp->store, j->head.ctl.msgid);
	struct message other;
	int r = number != 0 ? message_read(&sp->store, number, &other)
			    : STORE_ABSENT;

	if (r == STORE_ABSENT || (r == 0 && other.head.queue != q->id))
		return job_fail(j, TPEDIAGNOSTIC, QMEBADMSGID,
				"TPQBEFOREMSGID: no such message in the queue");
	if (r == 0 && !order_before(&m->order, sp->store.last + 1, number,
				    &other.order, q->def.mode == MODE_LIFO))
		return job_fail(j, TPEDIAGNOSTIC, QMENOSPACE,
				"TPQBEFOREMSGID: too many messages were put "
				"before each other: put them before one");
	m->head.rank = r == 0 ? other.head.rank : 0;
	return r;
}

/* The place that the caller asks for; else that of its number. */
static int ask_place(struct space *sp, struct queue *q, struct job *j,
		     struct message *m)
{
	int64_t flags = j->head.ctl.flags;

	if (flags & TPQBEFOREMSGID)
		return place_before(sp, q, j, m);
	if (flags & TPQTOP) {
		order_top(&m->order, sp->store.last + 1,
			  q->def.mode == MODE_LIFO);
		m->head.rank = 0;
	}
	return 0;
}

static int enqueue(struct space *sp, struct job *j)
{
	struct queue *q = j->service[0] != '\0'
				  ? durable_queue(&sp->queues, j->service)
				  : queues_use(&sp->queues, j->head.queue);
	uint64_t now = ow_clock_real_ns(), due;
	struct message m = { .client = j->client, .payload = j->payload,
			     .trace = j->trace };
	int r;

	if (q == NULL)
		return fail_queue(j);
	fill_head(j, q, now, &m.head);
	due = due_of(&j->head.ctl, q, now);
	r = ask_place(sp, q, j, &m);
	if (r != 0 || j->answer.tperr != 0)
		return r;
	r = message_write(&sp->store, &sp->queues, q, &m);
	if (r == 0 && xid_is_none(&j->xid)) {
		q->now.enqueued++;
		r = message_show(&sp->store, q, &m, due, 0);
	} else if (r == 0) {
		r = branch_add(&sp->store, q, &j->xid, DID_ENQUEUE, &m, due, 0);
	}
	message_id(&sp->store, m.number, j->answer.ctl.msgid);
	return r;
}

/* ---- dequeue ---- */

/* TPNOCHANGE: is it of the type that the caller wants? */
static bool has_type(const struct job *j, const struct message *m)
{
	if ((j->head.flags & TPNOCHANGE) == 0)
		return true;
	if (m->head.type != j->head.type)
		return false;
	return m->head.type != OW_BUF_VIEW ||
	       strncmp(m->payload, j->head.subtype, m->head.sub_len) == 0;
}

/* What the caller gets of message m. */
static int answer_message(struct space *sp, struct job *j,
			  const struct message *m)
{
	const struct message_head *h = &m->head;
	struct ow_mq_answer *a = &j->answer;
	struct ow_mq_ctl *c = &a->ctl;

	a->type = h->type;
	a->sub_len = h->sub_len;
	a->len = h->len;
	c->flags = (int64_t)h->flags | TPQMSGID;
	c->priority = h->priority;
	c->urcode = h->urcode;
	c->appkey = h->appkey;
	c->delivery_qos = h->delivery_qos;
	c->reply_qos = h->reply_qos;
	a->next = h->expires_ns;
	message_id(&sp->store, m->number, c->msgid);
	memcpy(c->corrid, h->corrid, sizeof(c->corrid));
	strcpy(c->replyqueue, h->replyqueue);
	strcpy(c->failurequeue, h->failurequeue);
	memset(a->cltid, 0, sizeof(a->cltid));
	memcpy(a->cltid, m->client,
	       h->client_len < sizeof(a->cltid) ? h->client_len
						: sizeof(a->cltid));
	if (xid_is_none(&j->xid) && (j->head.ctl.flags & TPQPEEK) == 0)
		c->deq_time = (int64_t)right_of(sp, j, a, m->payload);
	j->reply = ow_mq_answer_write(a, m->payload, &j->reply_len);
	if (j->reply != NULL)
		return 0;
	a->len = 0;
	return job_fail(j, TPEOS, QMEOS, "tmqueue has no memory for the "
			"message");
}

/* The message leaves its queue, and can come back (JOB_RESTORE). */
static int take_away(struct space *sp, struct queue *q, struct job *j,
		     const struct message *m)
{
	struct place p;
	int r = message_hide(&sp->store, m, &p);

	if (r != 0)
		return r == STORE_ABSENT ? -EBADMSG : r;
	if (!xid_is_none(&j->xid))
		return branch_add(&sp->store, q, &j->xid, DID_DEQUEUE, m, 0,
				  p.tries);
	j->taken = *m;
	j->taken.client = j->taken_client;
	if (m->head.client_len > sizeof(j->taken_client))
		j->taken.head.client_len = sizeof(j->taken_client);
	memcpy(j->taken_client, m->client, j->taken.head.client_len);
	j->taken.payload = j->reply + sizeof(j->answer);
	j->taken_tries = p.tries;
	j->from = q;
	q->now.dequeued++;
	return message_erase(&sp->store, q, m);
}

/* What the control block asks for; false: a message id that is none. */
static bool read_wanted(struct space *sp, const struct job *j,
			struct wanted *w)
{
	const struct ow_mq_ctl *c = &j->head.ctl;

	w->number = 0;
	w->corrid = NULL;
	w->forwarded = (c->flags & OW_MQ_FORWARDED) != 0 &&
		       !xid_is_none(&j->xid);
	if (c->flags & TPQGETBYMSGIDOLD) {
		w->number = message_number(&sp->store, c->msgid);
		return w->number != 0;
	}
	if (c->flags & TPQGETBYCORRIDOLD)
		w->corrid = c->corrid;
	return true;
}

/* Give the caller a message: 0, ABSENT (there is none), FULL, -errno. */
static int try_dequeue(struct space *sp, struct queue *q, struct job *j)
{
	struct message m;
	struct wanted w;
	uint32_t tries;
	int r;

	if (!read_wanted(sp, j, &w))
		return job_fail(j, TPEDIAGNOSTIC, QMEBADMSGID,
				"the message id is not of this queue space");
	r = message_choose(&sp->store, q, &w, &m, &tries);
	if (r != 0)
		return r;
	if (m.head.expires_ns != 0 && m.head.expires_ns <= ow_clock_real_ns())
		return STORE_ABSENT; /* message_due() removes it soon */
	if (!has_type(j, &m))
		return job_fail(j, TPEOTYPE, QMEINVAL, "the message is of "
				"another type, and stays in its queue");
	j->answer.count = tries;
	r = answer_message(sp, j, &m);
	if (r != 0 || j->answer.tperr != 0 || (j->head.ctl.flags & TPQPEEK))
		return r;
	return take_away(sp, q, j, &m);
}

static int dequeue(struct space *sp, struct job *j)
{
	struct queue *q = queues_take_from(&sp->queues, j->head.queue);
	int r;

	if (q == NULL)
		return fail_queue(j);
	r = try_dequeue(sp, q, j);
	if (r != STORE_ABSENT)
		return r;
	j->waits = (j->head.ctl.flags & TPQWAIT) != 0;
	j->from = q;
	return job_fail(j, TPEDIAGNOSTIC, QMENOMSG, "no message");
}

int execute_again(struct space *sp, struct queue *q, struct job *j)
{
	int r;

	j->answer.tperr = 0;
	j->answer.diagnostic = 0;
	r = try_dequeue(sp, q, j);
	if (r == STORE_ABSENT)
		return job_fail(j, TPEDIAGNOSTIC, QMENOMSG, "no message");
	j->waits = false;
	return r;
}

/* A message that could not be delivered has its old number, and so its old
 * place. */
static int restore(struct space *sp, struct job *j)
{
	int r = message_write(&sp->store, &sp->queues, j->from, &j->taken);

	j->from->now.dequeued--;
	return r != 0 ? r
		      : message_show(&sp->store, j->from, &j->taken, 0,
				     j->taken_tries);
}

/* ---- put back ---- */

/* With its number, and so its place; one of TPQTOP or TPQBEFOREMSGID is not known
 * any more. */
static int write_again(struct space *sp, struct queue *q, struct job *j,
		       struct message *m)
{
	int r;

	fill_head(j, q, ow_clock_real_ns(), &m->head);
	m->head.expires_ns = j->head.from;
	m->head.len -= sizeof(j->client);
	m->client = j->payload + m->head.len;
	r = message_write(&sp->store, &sp->queues, q, m);
	q->now.dequeued--;
	return r != 0 ? r
		      : message_show(&sp->store, q, m, 0, j->head.count);
}

static int put_back(struct space *sp, struct job *j)
{
	struct queue *q = queues_take_from(&sp->queues, j->head.queue);
	uint64_t number = message_number(&sp->store, j->head.ctl.msgid);
	struct message m = { .number = number, .payload = j->payload };
	struct message there;
	int r;

	if (q == NULL)
		return fail_queue(j);
	if (number == 0 || !right_is_given(sp, j))
		return job_fail(j, TPEDIAGNOSTIC, QMEBADMSGID, "the message "
				"was never given to this program");
	r = message_read(&sp->store, number, &there);
	if (r == 0)
		return job_fail(j, TPEDIAGNOSTIC, QMEBADMSGID,
				"the message is there");
	return r != STORE_ABSENT ? r : write_again(sp, q, j, &m);
}

/* ---- all ---- */

/* May this job do something in its branch, or outside of one? */
static bool is_allowed(struct space *sp, struct job *j)
{
	if (j->head.in_tran && xid_is_none(&j->xid)) {
		job_fail(j, TPEDIAGNOSTIC, QMETRAN, "tmqueue does not take "
			 "part in transactions (man tmqueue, TRANSACTIONS): "
			 "TPNOTRAN is needed");
		return false;
	}
	if (xid_is_none(&j->xid) || known_has(&sp->known, &j->xid))
		return true;
	job_fail(j, TPEDIAGNOSTIC, QMEABORTED, "the transaction has ended, or "
		 "tmqueue was started again since it began");
	return false;
}

static bool is_late(const struct job *j)
{
	return j->head.deadline_ns != 0 &&
	       j->head.deadline_ns <= ow_clock_mono_ns();
}

static int execute_request(struct space *sp, struct job *j)
{
	if (j->head.op == OW_MQ_PUT_BACK)
		return put_back(sp, j);
	if (j->head.op >= OW_MQ_PREPARE && j->head.op != OW_MQ_MOVE)
		return execute_transact(sp, j);
	if (j->head.op > OW_MQ_CANCEL)
		return execute_admin(sp, j);
	if (is_late(j))
		return job_fail(j, TPETIME, QMENOMSG, "tmqueue had no time for "
				"it before the deadline");
	if (!is_allowed(sp, j))
		return 0;
	return j->head.op == OW_MQ_ENQUEUE ? enqueue(sp, j) : dequeue(sp, j);
}

int execute(struct space *sp, struct job *j)
{
	switch (j->kind) {
	case JOB_REQUEST:
		return execute_request(sp, j);
	case JOB_FORWARDED:
		return execute_forwarded(sp, j);
	case JOB_RESTORE:
		return restore(sp, j);
	case JOB_ABANDONED:
		return execute_abandoned(sp, j);
	default:
		return 0;
	}
}
