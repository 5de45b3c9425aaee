/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forwarded.c - the end of a forwarded message: the service has answered, or not
 *
 * The message leaves its queue, and the answer enters the reply queue, in one
 * transaction of the store. A message whose service has failed is tried again
 * later; after the last try the failure queue gets the answer of the failed
 * service (or the message, if it gave none), and errorq the message. What of
 * those would have the message and is not defined is replaced by @FAILED.
 *
 * autoq=T: the transaction has taken the message and put the answer, or was
 * rolled back, which has counted the try. If nobody knows yet, the message is
 * in its branch, and is left to it.
 *
 * What holds for durable services instead: durable.h.
 *
 * A service that may not be called (TPEPERM), or cannot for want of memory, has
 * done nothing: that is no try, and the message waits, whatever `tries` says.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <userlog.h>

#include "servers/tmqueue/durable.h"
#include "servers/tmqueue/execute.h"
#include "servers/tmqueue/put.h"
#include "libatmi/base/clock.h"
#include "libatmi/wire/msg.h"

#define PAUSE_LEAST (100 * OW_NS_PER_MS)

static void unlock(struct queue *q, uint64_t number)
{
	uint32_t i;

	for (i = 0; i < q->n_forwarded && q->forwarded[i] != number;)
		i++;
	if (i < q->n_forwarded)
		q->forwarded[i] = q->forwarded[--q->n_forwarded];
}

/* A message like m, with the correlator of m, for queue `name`. *ret_put stays, if
 * there is no such queue. */
static int put(struct space *sp, const char *name, const struct message *m,
	       const struct message_head *like, bool *ret_put)
{
	struct message n = *m;
	bool done = false;
	int r;

	n.number = 0;
	n.head.expires_ns = 0;
	n.head.flags = like->flags & (TPQCORRID | TPQPRIORITY);
	memcpy(n.head.corrid, like->corrid, sizeof(n.head.corrid));
	n.head.priority = like->priority;
	memset(n.head.replyqueue, 0, sizeof(n.head.replyqueue));
	memset(n.head.failurequeue, 0, sizeof(n.head.failurequeue));
	r = execute_put(sp, name, &n, &done);
	*ret_put |= r == 0 && done;
	return r;
}

/* What the service has returned, as a message. */
static struct message answer_of(const struct job *j, const struct message *m)
{
	struct message a = { .head = m->head,
			     .client = m->client,
			     .payload = j->payload,
			     .trace = m->trace };

	a.head.type = j->head.type;
	a.head.sub_len = j->head.sub_len;
	a.head.len = j->head.len;
	a.head.urcode = j->urcode;
	return a;
}

static int succeeded(struct space *sp, struct queue *q, struct job *j,
		     const struct message *m)
{
	struct message answer = answer_of(j, m);
	bool done = false;
	int r;

	q->now.succeeded++;
	if ((m->head.flags & TPQREPLYQ) == 0)
		return 0;
	r = put(sp, m->head.replyqueue, &answer, &m->head, &done);
	if (r == 0 && !done)
		userlog((char *)"tmqueue: space %s: queue %s is not defined: "
			"an answer for it is lost", sp->name,
			m->head.replyqueue);
	return r;
}

/* Client and reason, as they lie in a record. */
struct reason {
	char bytes[CLIENT_LEN + OW_MQ_REASON];
	uint32_t len;
};

/* Why message m of queue q is given up, after so many tries. */
static void say_why(struct reason *o, const struct queue *q,
		    const struct job *j, const struct message *m,
		    uint32_t tries)
{
	const char *service = q->service[0] != '\0'	? q->service
			      : q->def.service[0] != '\0' ? q->def.service
							  : q->name;
	time_t now = (time_t)(ow_clock_real_ns() / OW_NS_PER_SEC);
	char rcode[40] = "", when[32];
	struct tm tm;
	int n;

	memset(o->bytes, 0, CLIENT_LEN);
	memcpy(o->bytes, m->client,
	       m->head.client_len < CLIENT_LEN ? m->head.client_len
					       : CLIENT_LEN);
	gmtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	if (j->tperr == TPESVCFAIL) /* of others it is an earlier one */
		snprintf(rcode, sizeof(rcode), ", rcode %ld", (long)j->urcode);
	n = snprintf(o->bytes + CLIENT_LEN, OW_MQ_REASON,
		     "%s%s, service %s, %u %s, queue %s, %s",
		     tpecodestr(j->tperr), rcode, service, tries,
		     tries == 1 ? "try" : "tries", q->name, when);
	o->len = CLIENT_LEN + (uint32_t)(n < OW_MQ_REASON ? n
							  : OW_MQ_REASON - 1);
}

/* A message that has failed for the last time, or its answer. *ret_put stays, if
 * there is no such queue. */
static int put_failed(struct space *sp, const char *name,
		      const struct message *m, const struct message_head *like,
		      const struct reason *why, bool *ret_put)
{
	struct queue *q = queues_use(&sp->queues, name);
	struct message n = *m;
	int r;

	if (q != NULL)
		q->failures = true;
	n.client = why->bytes;
	n.head.client_len = why->len;
	r = put(sp, name, &n, like, ret_put);
	if (r == 0 && !*ret_put)
		userlog((char *)"tmqueue: space %s: queue %s, for what has "
			"failed, is not defined", sp->name, name);
	return r;
}

/* The queue for it is not defined. */
static int put_apart(struct space *sp, const struct message *m,
		     const struct reason *why)
{
	const struct queue *to = durable_failed(&sp->queues, NULL);
	bool done = false;

	if (to == NULL)
		return -ENOMEM;
	userlog((char *)"tmqueue: space %s: the message is in the queue %s",
		sp->name, to->name);
	return put_failed(sp, to->name, m, &m->head, why, &done);
}

static int given_up(struct space *sp, struct queue *q, struct job *j,
		    const struct message *m, uint32_t tries)
{
	struct message answer = answer_of(j, m);
	bool has_answer = j->tperr == TPESVCFAIL && j->head.type != OW_BUF_NULL;
	bool to_failure = (m->head.flags & TPQFAILUREQ) != 0;
	bool to_errorq = q->def.errorq[0] != '\0';
	bool in_failure = false, in_errorq = false, kept;
	struct reason why;
	int r = 0;

	say_why(&why, q, j, m, tries);

	q->now.failed++;
	userlog((char *)"tmqueue: space %s, queue %s: a message failed for the "
		"last time: %s", sp->name, q->name, tpstrerror(j->tperr));
	if (to_failure)
		r = put_failed(sp, m->head.failurequeue,
			       has_answer ? &answer : m, &m->head, &why,
			       &in_failure);
	if (r == 0 && to_errorq)
		r = put_failed(sp, q->def.errorq, m, &m->head, &why,
			       &in_errorq);
	/* An answer is not the message that errorq was to have. */
	kept = in_errorq || (in_failure && !(has_answer && to_errorq));
	return r == 0 && (to_failure || to_errorq) && !kept
		       ? put_apart(sp, m, &why) : r;
}

/* The pauses grow from try to try. */
static uint64_t pause_after(const struct definition *d, uint32_t tries)
{
	uint64_t inc = d->wait_inc_ns != DEFINITION_INC ? d->wait_inc_ns
							: d->wait_retry_ns;
	uint64_t pause = d->wait_retry_ns + inc * (tries > 0 ? tries - 1 : 0);

	return pause < d->wait_max_ns || d->wait_max_ns == 0 ? pause
							     : d->wait_max_ns;
}

/* Once more, later. */
static int try_again(struct space *sp, struct queue *q,
		     const struct message *m, uint32_t tries, uint64_t least_ns)
{
	uint64_t pause = pause_after(&q->def, tries > 0 ? tries : 1);

	return message_show(&sp->store, q, m,
			    ow_clock_real_ns() +
				(pause > least_ns ? pause : least_ns),
			    tries);
}

/* ---- of durable services ---- */

/* A message that has failed for the last time: it is kept. */
static int set_apart(struct space *sp, struct queue *q, const struct job *j,
		     const struct message *m, uint32_t tries)
{
	struct queue *to = durable_failed(&sp->queues, q);
	struct message_head like = m->head;
	struct reason why;
	bool done = false;

	if (to == NULL)
		return -ENOMEM;
	q->now.failed++;
	userlog((char *)"tmqueue: space %s: a one-way call of service %s "
		"failed for the last time: %s: it is in the queue %s",
		sp->name, q->service, tpstrerror(j->tperr), to->name);
	like.flags |= TPQCORRID;
	memset(like.corrid, 0, sizeof(like.corrid));
	memcpy(like.corrid, q->service, strlen(q->service));
	say_why(&why, q, j, m, tries);
	return put_failed(sp, to->name, m, &like, &why, &done);
}

/* The service is not there, or may not be called: the message keeps its place,
 * and what follows waits, too. */
static int pause_queue(struct space *sp, struct queue *q,
		       const struct message *m, uint32_t tries)
{
	uint64_t pause = q->def.wait_retry_ns;

	if (pause < PAUSE_LEAST)
		pause = PAUSE_LEAST;
	q->paused_ns = ow_clock_mono_ns() + pause;
	return message_show(&sp->store, q, m, 0, tries);
}

static int finish_durable(struct space *sp, struct queue *q,
			  const struct job *j, struct message *m,
			  const struct place *p)
{
	uint32_t before = p->tries; /* a rollback has counted this one */
	bool executed = j->tperr == 0 ||
			(j->tperr == TPESVCFAIL && !j->in_tran);
	int r;

	if (j->in_tran && before > 0)
		before--;
	if (j->tperr == TPENOENT || j->tperr == TPEPERM)
		return pause_queue(sp, q, m, before);
	if (!executed && before + 1 < q->def.tries)
		return try_again(sp, q, m, before + 1, 0);
	r = message_erase(&sp->store, q, m);
	if (r != 0 || executed) {
		q->now.succeeded += r == 0;
		return r;
	}
	return set_apart(sp, q, j, m, before + 1);
}

/* ---- of all ---- */

/* For want of memory? */
static bool is_short(int tperr)
{
	return tperr == TPEOS || tperr == TPELIMIT;
}

/* Has nothing been done, for a reason that the message cannot help? */
static bool is_withheld(int tperr)
{
	return tperr == TPEPERM || is_short(tperr);
}

/* It waits until somebody has removed the reason. A minute has one line of a
 * queue. */
static int withhold(struct space *sp, struct queue *q, const struct job *j,
		    const struct message *m, uint32_t tries)
{
	uint64_t now = ow_clock_mono_ns();

	if (now >= q->withheld_ns) {
		q->withheld_ns = now + 60 * OW_NS_PER_SEC;
		userlog((char *)"tmqueue: space %s, queue %s: messages wait, "
			"%s cannot be called: %s", sp->name, q->name,
			q->def.service[0] != '\0' ? q->def.service : q->name,
			tpstrerror(j->tperr));
	}
	return try_again(sp, q, m, tries, OW_NS_PER_SEC);
}

static int finish(struct space *sp, struct queue *q, struct job *j,
		  struct message *m, const struct place *p)
{
	uint32_t tries = p->tries + (j->in_tran ? 0 : 1);
	int r;

	/* No tmsrv, or the like: that is not the fault of the message. */
	if (j->in_tran && !j->taken_once && q->service[0] != '\0')
		return pause_queue(sp, q, m, p->tries);
	if (j->in_tran && !j->taken_once)
		return try_again(sp, q, m, tries, OW_NS_PER_SEC);
	if (q->service[0] != '\0' && !is_short(j->tperr))
		return finish_durable(sp, q, j, m, p);
	/* The rollback of one in a transaction has counted a try. */
	if (is_withheld(j->tperr))
		return withhold(sp, q, j, m, tries > 0 ? tries - 1 : 0);
	if (j->tperr != 0 && tries < q->def.tries)
		return try_again(sp, q, m, tries, 0);
	r = message_erase(&sp->store, q, m);
	if (r != 0)
		return r;
	return j->tperr == 0 ? succeeded(sp, q, j, m)
			     : given_up(sp, q, j, m, tries);
}

/* Its bytes move when the transaction writes: a copy. */
static char *copy_of(struct message *m)
{
	char *copy = malloc(m->head.client_len + m->head.len + 1);

	if (copy == NULL)
		return NULL;
	memcpy(copy, m->client, m->head.client_len);
	memcpy(copy + m->head.client_len, m->payload, m->head.len);
	m->client = copy;
	m->payload = copy + m->head.client_len;
	return copy;
}

/* A message of which only its transaction knows is not there: 0. */
static int absent(const struct job *j, int r)
{
	return r != STORE_ABSENT ? r : j->in_tran ? 0 : -EBADMSG;
}

int execute_forwarded(struct space *sp, struct job *j)
{
	struct message m;
	struct place p;
	char *copy;
	int r;

	if (j->in_tran && j->tperr == 0) {
		j->from->now.succeeded++;
		j->from->dirty = true;
		return 0;
	}
	r = message_read(&sp->store, j->number, &m);
	if (r != 0) /* nobody takes it away meanwhile */
		return absent(j, r);
	copy = copy_of(&m);
	if (copy == NULL)
		return -ENOMEM;
	r = message_hide(&sp->store, &m, &p);
	if (r == 0) {
		j->from->fresh = true;
		r = finish(sp, j->from, j, &m, &p);
	}
	free(copy);
	return absent(j, r);
}

void forwarded_unlock(struct job *j)
{
	unlock(j->from, j->number);
}
