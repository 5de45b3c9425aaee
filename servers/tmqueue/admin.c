/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admin.c - what xadmin asks: queues, messages, definitions
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "servers/tmqueue/conf.h"
#include "servers/tmqueue/execute.h"
#include "libatmi/base/clock.h"

#define PAGE 256 /* messages of one answer */

/* The rows become the answer. */
static int answer_rows(struct job *j, const void *rows, uint64_t n, size_t size)
{
	j->answer.count = n;
	j->answer.len = n * size;
	j->reply = ow_mq_answer_write(&j->answer, rows, &j->reply_len);
	if (j->reply != NULL)
		return 0;
	j->answer.len = 0;
	return job_fail(j, TPEOS, QMEOS, "tmqueue has no memory");
}

/* ---- queues ---- */

static void fill_queue(struct space *sp, const struct queue *q,
		       struct ow_mq_queue *row)
{
	memset(row, 0, sizeof(*row));
	strcpy(row->name, q->name);
	strcpy(row->space, sp->name);
	snprintf(row->definition, sizeof(row->definition), "%s", q->def.text);
	row->automatic = q->def.automatic;
	row->implied = !q->defined;
	row->queued = q->now.queued;
	row->locked = queue_locked(q);
	row->bytes = q->now.bytes;
	row->enqueued = q->now.enqueued;
	row->dequeued = q->now.dequeued;
	row->succeeded = q->now.succeeded;
	row->failed = q->now.failed;
	row->waiting = q->waiting;
	row->oldest_ns = message_oldest(&sp->store, q);
}

static int list_queues(struct space *sp, struct job *j)
{
	const struct queue *q;
	struct ow_mq_queue *rows;
	uint64_t n = 0;
	int r;

	for (q = sp->queues.first; q != NULL; q = q->next)
		n++;
	rows = calloc(n + 1, sizeof(*rows));
	if (rows == NULL)
		return job_fail(j, TPEOS, QMEOS, "tmqueue has no memory");
	/* The newest is the first of the list. */
	for (q = sp->queues.first, r = (int)n; q != NULL; q = q->next)
		fill_queue(sp, q, &rows[--r]);
	r = answer_rows(j, rows, n, sizeof(*rows));
	free(rows);
	return r;
}

/* ---- messages ---- */

static int fill_message(struct space *sp, const struct queue *q,
			const struct message *m, struct ow_mq_row *row)
{
	struct place p;
	int r = message_place(&sp->store, m, &p);

	if (r != 0)
		return r;
	memset(row, 0, sizeof(*row));
	message_id(&sp->store, m->number, row->msgid);
	strcpy(row->queue, q->name);
	row->since_ns = m->head.since_ns;
	row->due_ns = p.due_ns;
	row->len = m->head.len;
	row->tries = p.tries;
	message_reason(m, row->reason);
	row->state = queue_is_forwarding(q, m->number) ? OW_MQ_LOCKED
						       : p.state;
	return 0;
}

/* The messages of a queue in the order of their numbers: messages of other
 * queues lie between them, so an answer may have few, and more follow. */
static int collect(struct space *sp, const struct queue *q, struct job *j,
		   struct ow_mq_row *rows, uint64_t *ret_n)
{
	uint64_t number = j->head.from, seen = 0, n = 0;
	struct message m;
	MDB_cursor *c = NULL;
	MDB_val k, v;
	int r = store_seek(&sp->store, sp->store.message, &number,
			   sizeof(number), false, &c, &k, &v);

	for (; r == 0 && n < PAGE && seen < 100 * PAGE; seen++) {
		memcpy(&number, k.mv_data, sizeof(number));
		r = message_read(&sp->store, number, &m);
		if (r == 0 && m.head.queue == q->id)
			r = fill_message(sp, q, &m, &rows[n++]);
		if (r == 0)
			r = store_step(&sp->store, c, false, &k, &v);
	}
	if (c != NULL)
		mdb_cursor_close(c);
	j->answer.next = r == 0 ? number + 1 : 0;
	*ret_n = n;
	return r == STORE_ABSENT ? 0 : r;
}

static int list_messages(struct space *sp, struct job *j)
{
	struct queue *q = queues_use(&sp->queues, j->head.queue);
	struct ow_mq_row rows[PAGE];
	uint64_t n = 0;
	int r;

	if (q == NULL)
		q = queues_find(&sp->queues, j->head.queue, false);
	if (q == NULL)
		return job_fail(j, TPEDIAGNOSTIC, QMEBADQUEUE,
				"there is no such queue");
	strcpy(j->answer.cltid, sp->service);
	r = collect(sp, q, j, rows, &n);
	return r != 0 ? r : answer_rows(j, rows, n, sizeof(rows[0]));
}

static int find_message(struct space *sp, struct job *j, struct message *m)
{
	uint64_t number = message_number(&sp->store, j->head.ctl.msgid);
	int r = number != 0 ? message_read(&sp->store, number, m)
			    : STORE_ABSENT;

	if (r == STORE_ABSENT)
		job_fail(j, TPEDIAGNOSTIC, QMEBADMSGID,
			 "there is no such message");
	return r;
}

/* Has a service the message, or a transaction? Then its mover is told. */
static bool is_taken(struct space *sp, struct job *j, const struct message *m,
		     const struct place *p)
{
	const struct queue *q = queues_by_id(&sp->queues, m->head.queue);

	if (q != NULL && queue_is_forwarding(q, m->number)) {
		job_fail(j, TPEDIAGNOSTIC, QMEINUSE, "a service has the "
			 "message");
		return true;
	}
	if (p->state == OW_MQ_LOCKED)
		job_fail(j, TPEDIAGNOSTIC, QMEINUSE, "a transaction has the "
			 "message");
	return p->state == OW_MQ_LOCKED;
}

static int look(struct space *sp, struct job *j)
{
	struct ow_mq_ctl *c = &j->answer.ctl;
	struct message m;
	struct place p;
	int r = find_message(sp, j, &m);

	if (r == 0)
		r = message_place(&sp->store, &m, &p);
	if (r != 0)
		return r == STORE_ABSENT ? 0 : r;
	if (j->head.count != 0 && is_taken(sp, j, &m, &p))
		return 0;
	j->answer.type = m.head.type;
	j->answer.sub_len = m.head.sub_len;
	j->answer.len = m.head.len;
	c->flags = (int64_t)m.head.flags | TPQMSGID;
	c->priority = m.head.priority;
	c->urcode = m.head.urcode;
	c->appkey = m.head.appkey;
	c->exp_time = (int64_t)(m.head.expires_ns / 1000000000);
	if (c->exp_time != 0)
		c->flags |= TPQEXPTIME_ABS;
	c->deq_time = (int64_t)((p.due_ns + 999999999) / 1000000000);
	if (c->deq_time != 0)
		c->flags |= TPQTIME_ABS;
	memcpy(c->msgid, j->head.ctl.msgid, sizeof(c->msgid));
	memcpy(c->corrid, m.head.corrid, sizeof(c->corrid));
	strcpy(c->replyqueue, m.head.replyqueue);
	strcpy(c->failurequeue, m.head.failurequeue);
	message_reason(&m, j->answer.why);
	memcpy(j->answer.cltid, m.client, sizeof(j->answer.cltid));
	j->reply = ow_mq_answer_write(&j->answer, m.payload, &j->reply_len);
	if (j->reply != NULL)
		return 0;
	j->answer.len = 0;
	return job_fail(j, TPEOS, QMEOS, "tmqueue has no memory");
}

static int remove_message(struct space *sp, struct job *j)
{
	struct message m;
	struct queue *q;
	struct place p;
	int r = find_message(sp, j, &m);

	if (r != 0)
		return r == STORE_ABSENT ? 0 : r;
	q = queues_by_id(&sp->queues, m.head.queue);
	if (q == NULL)
		return -EBADMSG;
	if (queue_is_forwarding(q, m.number))
		return job_fail(j, TPEDIAGNOSTIC, QMEINUSE, "a service has the "
				"message");
	r = message_hide(&sp->store, &m, &p);
	if (r == STORE_ABSENT)
		return job_fail(j, TPEDIAGNOSTIC, QMEINUSE, "a transaction has "
				"the message");
	return r != 0 ? r : message_erase(&sp->store, q, &m);
}

/* ---- moved ---- */

/* As a new message of queue `q`, with the bytes `copy`, since what is in the store
 * moves when it is written. */
static int put_again(struct space *sp, struct queue *q, struct job *j,
		     const struct message *m, const struct place *p)
{
	struct message n = *m;
	int r;

	n.number = 0;
	n.order.magic = 0; /* it had that place in the queue it comes from */
	n.head.since_ns = ow_clock_real_ns();
	n.head.tries = 0;
	n.head.rank = q->def.mode == MODE_PRIORITY
			  ? (uint8_t)(100 - n.head.priority)
			  : 0;
	r = message_write(&sp->store, &sp->queues, q, &n);
	if (r == 0)
		r = message_show(&sp->store, q, &n, p->due_ns, 0);
	q->now.enqueued += r == 0;
	message_id(&sp->store, n.number, j->answer.ctl.msgid);
	return r;
}

static int move_with(struct space *sp, struct job *j, struct queue *q,
		     struct message *m, char *copy)
{
	struct queue *from = queues_by_id(&sp->queues, m->head.queue);
	size_t client = m->head.client_len;
	struct place p;
	int r;

	memcpy(copy, m->client, client);
	memcpy(copy + client, m->payload, m->head.len);
	m->client = copy;
	m->payload = copy + client;
	r = message_hide(&sp->store, m, &p);
	if (r == 0)
		r = message_erase(&sp->store, from, m);
	/* Behind it may be why it was given up, which is over. */
	if (client > NDRX_MAX_ID_SIZE)
		m->head.client_len = NDRX_MAX_ID_SIZE;
	return r != 0 ? r : put_again(sp, q, j, m, &p);
}

/* Out of one queue into another, or nothing happens: one batch, one sync. */
static int move_message(struct space *sp, struct job *j)
{
	struct queue *q = queues_use(&sp->queues, j->head.queue);
	struct message m;
	struct place p;
	char *copy;
	int r;

	if (j->head.len != strlen(sp->name) ||
	    memcmp(j->payload, sp->name, j->head.len) != 0) {
		j->answer.count = 1;
		return 0;
	}
	r = find_message(sp, j, &m);
	if (r == 0)
		r = message_place(&sp->store, &m, &p);
	if (r != 0)
		return r == STORE_ABSENT ? 0 : r;
	if (q == NULL)
		return job_fail(j, TPEDIAGNOSTIC, QMEBADQUEUE,
				"there is no such queue");
	if (m.head.len > j->head.from) /* there is perhaps no room for it */
		return job_fail(j, TPEINVAL, QMEINVAL, "the message is longer");
	if (is_taken(sp, j, &m, &p))
		return 0;
	copy = malloc(m.head.client_len + m.head.len + 1);
	if (copy == NULL)
		return job_fail(j, TPEOS, QMEOS, "tmqueue has no memory");
	r = move_with(sp, j, q, &m, copy);
	free(copy);
	return r;
}

/* ---- definitions ---- */

static int define(struct space *sp, struct job *j)
{
	char line[DEFINITION_TEXT + TMQNAMELEN + 2] = "", why[128] = "";

	if (j->head.len >= sizeof(line))
		return job_fail(j, TPEDIAGNOSTIC, QMEINVAL,
				"the line is too long");
	memcpy(line, j->payload, j->head.len);
	if (conf_define(&sp->queues, line, why, sizeof(why)) != 0)
		return job_fail(j, TPEDIAGNOSTIC, QMEINVAL, why);
	return 0;
}

static int reload(struct space *sp, struct job *j)
{
	char why[160] = "";

	if (conf_load(&sp->queues, sp->conf, false, why, sizeof(why)) != 0)
		return job_fail(j, TPEDIAGNOSTIC, QMEINVAL, why);
	return 0;
}

int execute_admin(struct space *sp, struct job *j)
{
	switch (j->head.op) {
	case OW_MQ_QUEUES:
		return list_queues(sp, j);
	case OW_MQ_MESSAGES:
		return list_messages(sp, j);
	case OW_MQ_LOOK:
		return look(sp, j);
	case OW_MQ_REMOVE:
		return remove_message(sp, j);
	case OW_MQ_MOVE:
		return move_message(sp, j);
	case OW_MQ_DEFINE:
		return define(sp, j);
	case OW_MQ_RELOAD:
		return reload(sp, j);
	default:
		return job_fail(j, TPEPROTO, QMEPROTO, "tmqueue does not know "
				"the operation");
	}
}
