/* SPDX-License-Identifier: Apache-2.0 */
/*
 * continued.c - requests that threads answer after their service has ended
 *
 * A request and its payload belong to whoever has it. The record (crash.md) is
 * closed after the answer is sent, so a request of a killed process is refused
 * if it may not have been answered.
 */
#include "libatmisrv/continued.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/forks.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/member/lost.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/record.h"
#include "libatmi/wire/trace.h"
#include "libatmisrv/control.h"
#include "libatmisrv/figures.h"
#include "libatmisrv/options.h"
#include "libatmisrv/spans.h"
#include "libatmisrv/tran_scope.h"
#include "libatmisrv/proxy.h"

enum state { OPEN, HELD, ENDING, OVER };

struct ow_continued {
	UT_hash_handle hh;
	uint64_t number;
	enum state state;
	struct ow_server *holder; /* HELD, ENDING: by which proxy server */
	uint32_t users; /* table or list of those to be counted; services and
			   proxy servers that name it */
	uint32_t row;
	struct ow_msg head; /* of the request */
	struct ow_payload payload;
	struct ow_envelope record; /* head NULL: the payload's block is it */
	char *data; /* its buffer; NULL: none, or taken by a thread */
	uint64_t group; /* of that buffer, buf.h */
	uint64_t since_ns, took_ns;
	bool failed;
	struct ow_tran_scope
	    scope; /* of a transaction; nobody is in it while OPEN */
	struct ow_continued *next; /* to be counted */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ow_continued *table, *finished;
static struct ow_server *server; /* whose requests they are; NULL: none yet,
				    or it has ended */
static uint64_t last_number;
static bool leaving; /* a thread has called tpexit() */

/* ---- forks ---- */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* The requests are the parent's. */
static void forked(void)
{
	table = finished = NULL;
	server = NULL;
	pthread_mutex_unlock(&lock);
}

OW_FORKS_INNER static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, forked);
}

/* ---- states; lock held ---- */

static void unuse(struct ow_continued *c)
{
	if (--c->users == 0)
		free(c);
}

static void forget(struct ow_continued *c)
{
	c->state = OVER;
	c->holder = NULL;
	HASH_DEL(table, c);
}

/* It is over: have the main thread count it. */
static void finish(struct ow_continued *c, bool failed)
{
	forget(c);
	c->failed = failed;
	c->took_ns = ow_clock_mono_ns() - c->since_ns;
	c->next = finished;
	finished = c;
}

/* ---- the end of a request; lock not held ---- */

static void drop_buffer(char *data, uint64_t group)
{
	char *own;
	uint64_t own_group = 0;

	if (!ow_buf_is_handed(data, group))
		return;
	own = ow_buf_hand_on(&own_group); /* this thread's, if it has one */
	ow_buf_set_auto(data);
	ow_buf_free_auto();
	ow_buf_set_auto(own);
}

/* Take it off the record, and free what it owns. */
static void close_all(struct ow_continued *c, struct ow_domain *d)
{
	struct ow_envelope e;

	ow_envelope_init(&e, &c->head, sizeof(c->head), d->blocks);
	e.payload = c->payload;
	c->payload.owner = OW_PAYLOAD_UNOWNED;
	ow_envelope_close(&e);
	if (c->record.head != NULL)
		ow_envelope_close(&c->record);
	drop_buffer(c->data, c->group);
	c->data = NULL;
}

/* TPESVCERR to its caller. The request is ENDING. */
static void refuse(struct ow_continued *c, struct ow_domain *d,
		   const char *why)
{
	struct ow_replier *rp = NULL;
	struct ow_reply reply = { .request = &c->head,
				  .tperr = TPESVCERR,
				  .deadline = c->head.deadline_ns };

	ow_lost_unanswered(d, &c->head, why);
	ow_replier_open(d, &rp);
	if (c->head.cd != 0)
		ow_reply_send(d, rp, &reply);
	ow_replier_close(rp);
	close_all(c, d);
}

/* ---- handed on by the service ---- */

/* The payload leaves the server's in-flight record with the request, so that
 * the record does not name a block that another process may have soon. */
static void take_payload(struct ow_continued *c, struct ow_envelope *from)
{
	c->payload = from->payload;
	if (from->payload.block != 0 &&
	    from->payload.owner == OW_PAYLOAD_OWNED)
		ow_envelope_yield_block(from);
	else
		c->payload.owner = OW_PAYLOAD_UNOWNED;
}

static bool enter(struct ow_server *s, struct ow_continued *c)
{
	bool ok;

	pthread_mutex_lock(&lock);
	server = s;
	c->number = ++last_number;
	HASH_ADD(hh, table, number, sizeof(c->number), c);
	ok = c->hh.tbl != NULL;
	pthread_mutex_unlock(&lock);
	return ok;
}

/* The service keeps its request: it is on the server's record alone again. */
static void close_record(struct ow_continued *c, struct ow_msg *in_hand)
{
	if (c->record.head == NULL)
		return;
	ow_record_keep(in_hand);
	ow_envelope_close(&c->record);
}

static int hand_on(struct ow_server *s)
{
	struct ow_in_hand *j = &s->rq;
	struct ow_continued *c = calloc(1, sizeof(*c));
	int r = c == NULL ? -ENOMEM : 0;

	if (r == 0) {
		c->head = *j->msg;
		c->users = 2;
		c->row = (uint32_t)(j->adv - s->adv);
		c->since_ns = j->since_ns;
		r = ow_record_request(s->dom, &c->head, &c->record);
	}
	if (r == 0 && c->record.head != NULL)
		ow_record_pass_on(j->envelope.head, &c->record);
	if (r == 0 && !enter(s, c)) {
		close_record(c, j->envelope.head);
		r = -ENOMEM;
	}
	if (r != 0) {
		free(c);
		return r;
	}
	ow_tran_scope_hand_on(s, &c->scope);
	take_payload(c, &j->envelope);
	c->data = ow_buf_hand_on(&c->group);
	j->active = false;
	j->continued = c;
	s->seconds |= OW_SECONDS_CONTINUED;
	return 0;
}

/* The thread that holds it hands it on again. */
static void open_again(struct ow_server *s)
{
	struct ow_continued *c = s->rq.continued;

	if (s->host != NULL)
		ow_tran_scope_hand_on(s, &c->scope);
	pthread_mutex_lock(&lock);
	if (c->state == HELD && c->holder == s) {
		c->state = OPEN;
		c->holder = NULL;
		c->data = ow_buf_hand_on(&c->group);
	}
	pthread_mutex_unlock(&lock);
}

int ow_continued_begin(struct ow_server *s, uint64_t *ret_number)
{
	int r = 0;

	if (s == NULL)
		return OW_CONTINUED_OUTSIDE;
	if (s->rq.continued != NULL && !s->rq.active)
		open_again(s);
	else if (s->rq.active && !s->rq.returned && s->host == NULL)
		r = hand_on(s);
	else
		r = OW_CONTINUED_OUTSIDE;
	if (r == 0)
		*ret_number = s->rq.continued->number;
	return r;
}

/* ndrxd looks for the request that the server has in hand: not this one. */
static void mark(struct ow_server *s, struct ow_continued *c)
{
	struct ow_msg *m;

	if (c->record.head != NULL)
		return;
	m = ow_block_msg(s->dom->blocks, c->payload.block);
	if (m != NULL)
		m->continued = 1;
}

bool ow_continued_leave(struct ow_server *s)
{
	struct ow_continued *c = s->rq.continued;

	if (c == NULL)
		return false;
	s->rq.continued = NULL;
	s->rq.returned = s->rq.counted = true;
	s->rq.failed = s->rq.counted_failed = false;
	pthread_mutex_lock(&lock);
	if (c->state == OPEN || c->state == HELD)
		mark(s, c);
	unuse(c);
	pthread_mutex_unlock(&lock);
	return true;
}

/* ---- back in the service ---- */

/* No thread has taken it: it is the request in hand, as it was. */
static void take_back(struct ow_server *s, struct ow_continued *c)
{
	struct ow_in_hand *j = &s->rq;

	if (c->payload.owner == OW_PAYLOAD_OWNED) {
		j->envelope.payload = c->payload;
		ow_envelope_regain_block(&j->envelope);
		j->envelope.head->sub_len = c->head.sub_len;
	}
	c->payload.owner = OW_PAYLOAD_UNOWNED;
	if (ow_buf_is_handed(c->data, c->group))
		ow_buf_set_auto(c->data);
	c->data = NULL;
	close_record(c, j->envelope.head);
	j->continued = NULL;
	j->active = true;
	j->returned = false;
	ow_tran_scope_regain(s, &c->scope);
	pthread_mutex_lock(&lock);
	c->users--; /* of the table */
	unuse(c);
	pthread_mutex_unlock(&lock);
}

/* ---- in a thread ---- */

/* The request is this thread's: tpreturn() finds it in the proxy server. */
static bool begin_answer(struct ow_proxy *st, struct ow_continued *c)
{
	struct ow_server *s = &st->server;

	if (!ow_proxy_prepare(st)) {
		pthread_mutex_lock(&lock);
		c->state = HELD;
		pthread_mutex_unlock(&lock);
		return false;
	}
	if (ow_buf_is_handed(c->data, c->group))
		ow_buf_set_auto(c->data);
	c->data = NULL;
	ow_envelope_init(&s->rq.envelope, &c->head, sizeof(c->head),
			 s->dom->blocks);
	s->rq.envelope.payload = c->payload;
	c->payload.owner = OW_PAYLOAD_UNOWNED;
	s->rq.msg = &c->head;
	s->rq.since_ns = c->since_ns;
	s->rq.counted = s->rq.counted_failed = s->rq.failed = false;
	s->rq.returned = false;
	s->rq.active = true;
	ow_tran_scope_regain(s, &c->scope);
	return true;
}

struct ow_msg *ow_continued_record(const struct ow_server *s)
{
	return s->rq.continued->record.head;
}

bool ow_continued_resume(struct ow_server *s)
{
	struct ow_continued *c = s != NULL ? s->rq.continued : NULL;
	struct ow_proxy *st = ow_proxy_of(s);
	bool ours;

	if (c == NULL || s->rq.active)
		return false;
	pthread_mutex_lock(&lock);
	ours = c->state == OPEN || (c->state == HELD && c->holder == s);
	if (ours && st == NULL) {
		forget(c);
	} else if (ours) {
		c->state = ENDING;
		c->holder = s;
	}
	pthread_mutex_unlock(&lock);
	if (!ours)
		return false;
	if (st != NULL)
		return begin_answer(st, c);
	take_back(s, c);
	return true;
}

/* The program keeps the buffer, which may lie in the block of the request. */
static void keep_buffer(struct ow_proxy *st)
{
	struct ow_envelope *e = &st->server.rq.envelope;

	if (st->kept != NULL && e->payload.owner == OW_PAYLOAD_OWNED &&
	    ow_buf_keep_block(st->kept, e->payload.block)) {
		ow_block_unpost(e->blocks, e->payload.block, OW_BLOCK_HELD);
		e->payload.owner = OW_PAYLOAD_UNOWNED;
	}
	st->kept = NULL;
}

void ow_continued_end(struct ow_server *s)
{
	struct ow_proxy *st = ow_proxy_of(s);
	struct ow_continued *c;

	if (st == NULL || s->rq.continued == NULL)
		return;
	c = s->rq.continued;
	ow_traced_continued(s, c->row);
	keep_buffer(st);
	ow_envelope_close(&s->rq.envelope);
	OW_FAULT("continued.answered");
	if (c->record.head != NULL)
		ow_envelope_close(&c->record);
	ow_proxy_finish(st);
	pthread_mutex_lock(&lock);
	finish(c, s->rq.failed);
	if (s->stop && server != NULL)
		ow_waitset_kick(server->waitset);
	unuse(c);
	pthread_mutex_unlock(&lock);
	ow_proxy_rest(st);
}

/* The thread ends without an answer to what it has taken. */
static void abandon(struct ow_proxy *st)
{
	struct ow_server *s = &st->server;
	struct ow_continued *c = s->rq.continued;
	bool held;

	pthread_mutex_lock(&lock);
	held = c->state == HELD && c->holder == s;
	if (held)
		c->state = ENDING;
	pthread_mutex_unlock(&lock);
	if (held)
		refuse(c, s->dom, "its thread has ended without an answer");
	pthread_mutex_lock(&lock);
	if (held)
		finish(c, true);
	unuse(c);
	pthread_mutex_unlock(&lock);
}

/* The request is this thread's. */
static void hold(struct ow_proxy *st, struct ow_continued *c, bool keep)
{
	struct ow_server *s = &st->server;
	char *data = ow_buf_is_handed(c->data, c->group) ? c->data : NULL;

	c->data = NULL;
	st->kept = keep ? data : NULL;
	if (!keep && data != NULL)
		ow_buf_set_auto(data);
	c->state = HELD;
	c->holder = s;
	c->users++;
	st->abandon = abandon;
	ow_proxy_use(st, server, c->row);
	s->rq.continued = c;
}

int ow_continued_take(struct ow_proxy *st, uint64_t number, bool keep)
{
	const struct ow_ctx *ctx = ow_ctx_peek();
	struct ow_continued *c = NULL;
	int r = 0;

	pthread_mutex_lock(&lock);
	HASH_FIND(hh, table, &number, sizeof(number), c);
	if (c == NULL || server == NULL)
		r = OW_CONTINUED_UNKNOWN;
	else if (c->state != OPEN)
		r = OW_CONTINUED_HELD;
	else if (c->scope.tran != 0 && ctx != NULL && ctx->tran != 0)
		r = OW_CONTINUED_INSIDE;
	else
		hold(st, c, keep);
	pthread_mutex_unlock(&lock);
	if (r == 0 && !ow_tran_scope_take(&st->server, &c->scope)) {
		abandon(st);
		ow_proxy_rest(st);
		r = OW_CONTINUED_LOST;
	}
	if (r == 0)
		ow_trace_enter(&st->server.ctx->trace, &c->head);
	return r;
}

void ow_continued_let_go(struct ow_proxy *st)
{
	struct ow_server *s = &st->server;

	open_again(s);
	pthread_mutex_lock(&lock);
	unuse(s->rq.continued);
	pthread_mutex_unlock(&lock);
	ow_proxy_rest(st);
}

void ow_continued_exit(void)
{
	pthread_mutex_lock(&lock);
	leaving = true;
	pthread_mutex_unlock(&lock);
}

/* ---- the loop ---- */

/* Count one that is over, unless its row has another service by now. */
static void count(struct ow_server *s, const struct ow_continued *c)
{
	struct ow_adv *a = &s->adv[c->row];

	if (atomic_load(&a->svc) == c->head.svc + 1 || s->offers[c->row].any)
		ow_figures_end(a, c->failed, c->took_ns / OW_NS_PER_US);
}

/* Requests that no thread will take in time: a list. Lock held. */
static struct ow_continued *collect(uint64_t now)
{
	struct ow_continued *c, *next, *list = NULL;

	HASH_ITER(hh, table, c, next)
	{
		if (c->state != OPEN || c->users != 1 ||
		    !ow_deadline_passed(c->head.deadline_ns, now))
			continue;
		forget(c);
		c->next = list;
		list = c;
	}
	return list;
}

void ow_continued_tick(struct ow_server *s, uint64_t now)
{
	struct ow_continued *done, *late, *next;
	bool none;

	if ((s->seconds & OW_SECONDS_CONTINUED) == 0)
		return;
	pthread_mutex_lock(&lock);
	done = finished;
	finished = NULL;
	late = collect(now);
	none = table == NULL;
	pthread_mutex_unlock(&lock);
	for (; late != NULL; late = next) {
		next = late->next;
		ow_lost_unanswered(s->dom, &late->head,
				   "no thread has taken it in time");
		atomic_fetch_add(&s->dom->tables->svc[late->head.svc].expired,
				 1);
		close_all(late, s->dom);
		free(late);
	}
	for (; done != NULL; done = next) {
		next = done->next;
		count(s, done);
		pthread_mutex_lock(&lock);
		unuse(done);
		pthread_mutex_unlock(&lock);
	}
	if (none)
		s->seconds &= ~(uint32_t)OW_SECONDS_CONTINUED;
}

/* One that no thread is about to answer; NULL: none. A thread that has taken
 * it may be reading a buffer in its block: that goes with the process. */
static struct ow_continued *next_left(void)
{
	struct ow_continued *c, *next;

	pthread_mutex_lock(&lock);
	HASH_ITER(hh, table, c, next)
	{
		if (c->state != ENDING)
			break;
	}
	if (c != NULL && c->state == HELD)
		c->payload.owner = OW_PAYLOAD_UNOWNED;
	if (c != NULL)
		forget(c);
	pthread_mutex_unlock(&lock);
	return c;
}

void ow_continued_refuse_all(struct ow_server *s)
{
	struct ow_continued *c;

	pthread_mutex_lock(&lock);
	server = NULL; /* no thread takes one any more */
	pthread_mutex_unlock(&lock);
	while ((c = next_left()) != NULL) {
		refuse(c, s->dom, "the server ends");
		pthread_mutex_lock(&lock);
		unuse(c);
		pthread_mutex_unlock(&lock);
	}
	s->seconds |= OW_SECONDS_CONTINUED;
	ow_continued_tick(s, ow_clock_mono_ns());
	if (leaving)
		ow_control_leaving(s);
}
