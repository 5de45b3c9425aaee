/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forward.c - automatic queues: their messages go to a service
 */
#include "servers/tmqueue/forward.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>

#include "servers/tmqueue/execute.h"
#include "servers/tmqueue/forward_tran.h"
#include "libatmi/base/clock.h"
#include "libatmi/wire/msg.h"
#include "libatmi/wire/trace.h"
#include "libatmisrv/own.h"

#define THREADS_MOST 64

/* A message on its way to a service. */
struct parcel {
	struct parcel *next;
	struct queue *from;
	uint64_t number;
	const char *space;
	char queue[TMQNAMELEN + 1];
	char msgid[TMMSGIDLEN];
	bool in_tran, taken; /* autoq=T; it had left its queue */
	char service[XATMI_SERVICE_NAME_LENGTH + 1];
	int timeout; /* seconds; 0: that of every call */
	bool durable; /* of a durable service: it has the time that it takes */
	int prio;     /* of the call; 0: that of the service */
	struct message_trace trace; /* of the request that has put it */
	uint8_t type, sub_len;
	uint64_t len;
	char payload[];
};

struct forward {
	struct engine *engine;
	pthread_mutex_t lock;
	pthread_cond_t come;
	struct parcel *first, *last;
	uint32_t free; /* threads without a message, less those in the list */
	uint32_t busy; /* threads with a message */
	bool stop;
	pthread_t threads[THREADS_MOST];
	uint32_t n;
};

/* ---- a thread ---- */

static struct parcel *take(struct forward *f)
{
	struct parcel *p;

	pthread_mutex_lock(&f->lock);
	while ((f->first == NULL || f->engine == NULL) && !f->stop)
		pthread_cond_wait(&f->come, &f->lock);
	p = f->stop ? NULL : f->first;
	if (p != NULL) {
		f->first = p->next;
		f->busy++;
	}
	pthread_mutex_unlock(&f->lock);
	return p;
}

static void has_ended(struct forward *f)
{
	bool last;

	pthread_mutex_lock(&f->lock);
	last = --f->busy == 0 && f->stop;
	pthread_mutex_unlock(&f->lock);
	if (last)
		ow_own_wake();
}

static int call_in_tran(struct parcel *p, char **data, long *len)
{
	struct forward_order o = { .space = p->space,
				   .queue = p->queue,
				   .service = p->service,
				   .timeout = p->timeout,
				   .prio = p->prio };

	memcpy(o.msgid, p->msgid, sizeof(o.msgid));
	return forward_tran(&o, data, len, &p->taken);
}

/* Call the service: the tperrno, 0. *data is the answer. */
static int call(const struct parcel *p, char **data, long *len)
{
	int r = ow_mq_payload_read(p->type, p->sub_len, p->payload, p->len,
				   data, len);

	if (r != 0)
		return r == -ENOMEM ? TPEOS : TPEITYPE;
	if (p->timeout > 0)
		tpsblktime(p->timeout, TPBLK_NEXT);
	if (p->prio > 0)
		tpsprio(p->prio, TPABSOLUTE);
	return forward_call(p->service, data, len,
			    p->durable && p->timeout == 0 ? TPNOTIME : 0);
}

/* What came of it, for the engine. */
static struct job *report(const struct parcel *p, int tperr, long urcode,
			  char *data, long len)
{
	struct ow_mq_request head = { .type = OW_BUF_NULL };
	bool answered = tperr == 0 || tperr == TPESVCFAIL;
	char *bytes = NULL;
	struct job *j;

	if (answered && ow_mq_payload_write(data, len, &head, &bytes) != 0)
		answered = false;
	j = job_new(JOB_FORWARDED, answered ? head.len : 0);
	if (j != NULL) {
		j->from = p->from;
		j->number = p->number;
		j->tperr = tperr;
		j->in_tran = p->in_tran;
		j->taken_once = p->taken;
		j->urcode = urcode;
		j->head.type = OW_BUF_NULL;
		if (answered) {
			j->head.type = head.type;
			j->head.sub_len = head.sub_len;
			j->head.len = head.len;
			memcpy(j->payload, bytes, head.len);
		}
	}
	free(bytes);
	return j;
}

/* What this thread calls is of the trace of the message. */
static void go_on(const struct message_trace *of)
{
	struct ow_trace t = { .flags = of->flags };

	memcpy(t.trace_id, of->trace_id, sizeof(t.trace_id));
	memcpy(t.span_id, of->span_id, sizeof(t.span_id));
	ow_own_go_on(&t);
}

static void forward(struct forward *f, struct parcel *p)
{
	char *data = NULL;
	long len = 0;
	struct job *j;
	int tperr;

	go_on(&p->trace);
	tperr = p->in_tran ? call_in_tran(p, &data, &len)
			   : call(p, &data, &len);
	ow_own_go_on(NULL);

	/* Without memory the message would stay locked for ever. */
	while ((j = report(p, tperr, tpurcode, data, len)) == NULL)
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	if (data != NULL)
		tpfree(data);
	pthread_mutex_lock(&f->lock);
	f->free++;
	pthread_mutex_unlock(&f->lock);
	engine_put(f->engine, j);
}

static void *work(void *arg)
{
	struct forward *f = arg;
	struct parcel *p;

	while ((p = take(f)) != NULL) {
		forward(f, p);
		free(p);
		has_ended(f);
	}
	tpterm();
	return NULL;
}

/* ---- the engine's thread ---- */

/* Of one in a transaction the payload comes with the dequeue. */
static struct parcel *pack(struct space *sp, struct queue *q,
			   const struct message *m)
{
	uint64_t len = q->def.transact ? 0 : m->head.len;
	struct parcel *p = calloc(1, sizeof(*p) + len + 1);

	if (p == NULL)
		return NULL;
	p->from = q;
	p->number = m->number;
	p->in_tran = q->def.transact;
	p->space = sp->name;
	strcpy(p->queue, q->name);
	message_id(&sp->store, m->number, p->msgid);
	p->type = m->head.type;
	p->sub_len = m->head.sub_len;
	p->len = len;
	p->durable = q->service[0] != '\0';
	p->prio = p->durable && (m->head.flags & TPQPRIORITY)
		      ? m->head.priority : 0;
	p->trace = m->trace;
	p->timeout = (int)(q->def.timeout_ns / OW_NS_PER_SEC);
	strcpy(p->service, q->def.service[0] != '\0' ? q->def.service
						     : q->name);
	memcpy(p->payload, m->payload, len);
	return p;
}

/* Is a thread free? Then it has work now. */
static bool reserve(struct forward *f)
{
	bool is_free;

	pthread_mutex_lock(&f->lock);
	is_free = f->free > 0 && !f->stop;
	if (is_free)
		f->free--;
	pthread_mutex_unlock(&f->lock);
	return is_free;
}

static void hand_over(struct forward *f, struct parcel *p)
{
	pthread_mutex_lock(&f->lock);
	if (p == NULL) {
		f->free++;
	} else if (f->first == NULL) {
		f->first = f->last = p;
	} else {
		f->last->next = p;
		f->last = p;
	}
	pthread_cond_signal(&f->come);
	pthread_mutex_unlock(&f->lock);
}

/* The next message of the queue, if there is one and a thread for it. */
static bool forward_one(struct forward *f, struct space *sp, struct queue *q)
{
	struct wanted any = { .number = 0 };
	struct parcel *p = NULL;
	struct message m;
	uint32_t tries;

	if (!reserve(f))
		return false;
	if (message_choose(&sp->store, q, &any, &m, &tries) == 0)
		p = pack(sp, q, &m);
	if (p != NULL)
		q->forwarded[q->n_forwarded++] = m.number;
	hand_over(f, p);
	return p != NULL;
}

static bool has_work(const struct queue *q)
{
	return q->def.automatic && q->paused_ns == 0 && q->n_forwarded < q->def.workers &&
	       q->now.queued > queue_locked(q);
}

void forward_look(struct forward *f, struct space *sp)
{
	uint64_t now = ow_clock_mono_ns();
	struct queue *q;

	for (q = sp->queues.first; q != NULL; q = q->next)
		if (q->paused_ns <= now)
			q->paused_ns = 0;
	for (q = sp->queues.first; q != NULL && !has_work(q); q = q->next)
		;
	if (q == NULL || store_begin(&sp->store, 0, true) != 0)
		return;
	for (; q != NULL; q = q->next) {
		while (has_work(q) && forward_one(f, sp, q))
			;
	}
	store_abort(&sp->store);
}

/* ---- start and stop ---- */

void forward_set_engine(struct forward *f, struct engine *e)
{
	pthread_mutex_lock(&f->lock);
	f->engine = e;
	pthread_cond_broadcast(&f->come);
	pthread_mutex_unlock(&f->lock);
}

int forward_start(struct forward **ret, uint32_t threads)
{
	struct forward *f = calloc(1, sizeof(*f));
	int r = 0;

	if (f == NULL)
		return -ENOMEM;
	if (threads > THREADS_MOST)
		threads = THREADS_MOST;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->come, NULL);
	while (r == 0 && f->n < threads) {
		r = pthread_create(&f->threads[f->n], NULL, work, f);
		if (r == 0)
			f->n++;
	}
	f->free = f->n;
	*ret = f;
	if (r == 0)
		return 0;
	forward_stop(f);
	*ret = forward_free(f);
	return -r;
}

bool forward_may_end(struct forward *f)
{
	bool may;

	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_cond_broadcast(&f->come);
	may = f->busy == 0;
	pthread_mutex_unlock(&f->lock);
	return may;
}

void forward_stop(struct forward *f)
{
	uint32_t i;

	if (f == NULL)
		return;
	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_cond_broadcast(&f->come);
	pthread_mutex_unlock(&f->lock);
	for (i = 0; i < f->n; i++)
		pthread_join(f->threads[i], NULL);
}

struct forward *forward_free(struct forward *f)
{
	struct parcel *p;

	if (f == NULL)
		return NULL;
	while ((p = f->first) != NULL) {
		f->first = p->next;
		free(p);
	}
	free(f);
	return NULL;
}
