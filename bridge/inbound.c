/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbound.c - requests from other nodes are called here, replies go back
 *
 * One thread with a context of its own is the caller of all of them: towards
 * the domain it is an ordinary client. A request that finds its service's queue
 * full waits here, with those for the same service behind it; requests for
 * other services pass them. Its credit goes back to the sender only when it is
 * in the queue. So what waits here is bounded by the windows of the links.
 *
 * The thread sleeps at its reply queue. Whoever has requests for it, those of
 * one message, sends a notice there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "bridge/bridge.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/await.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/request.h"
#include "libatmi/call/slot.h"
#include "libatmi/call/svcq.h"
#include "libatmi/log/log.h"

#define IDLE_NS	 (100 * OW_NS_PER_MS) /* between looks at what may be late */
#define RETRY_NS OW_NS_PER_MS	      /* while some queue is full */

/* Where a request came from, and its reply goes. */
struct origin {
	struct ow_br_peer *peer;
	uint64_t session, id, deadline;
	uint32_t link;
};

/* A request. Of those that wait for room, `next` leads through the first ones
 * of all services; each has the others of its service behind it. */
struct item {
	struct item *next, *behind;
	struct item *tail; /* of the first: the last one behind it, or itself */
	struct origin from;
	uint64_t cost; /* credit units, given back when it is in the queue */
	struct ow_br_frame frame;
	char payload[];
};

struct ow_br_inbound {
	struct ow_bridge *b;
	pthread_t thread;
	/* of the delivery thread: the requests of the message in hand */
	struct {
		struct item *first, **last;
		struct origin from;
		uint32_t n, lost;
	} arriving;
	/* under the lock of the bridge */
	struct item *news, **last; /* what has come */
	bool asleep, ready;
	struct ow_queue *bell; /* the reply queue of the thread, to ring */
	uint32_t slot, gen;
	/* of the thread */
	struct ow_ctx *c;
	struct item *pending;
	struct origin settling; /* whose credit is `credit`, not yet given */
	uint64_t credit;
	struct origin origin[OW_CD_MAX]; /* of calls that are out */
};

/* ---- the delivery thread ---- */

/* A notice into the reply queue of the thread. Lock held: one ringer at a
 * time. */
static void ring(struct ow_br_inbound *in)
{
	union ow_envelope_room room;
	struct ow_envelope e;

	ow_envelope_init(&e, &room, sizeof(room), in->b->dom->blocks);
	e.payload = (struct ow_payload){ .len = 0 };
	memset(&room.head, 0, sizeof(room.head));
	room.head.magic = OW_MSG_MAGIC;
	room.head.version = OW_MSG_VERSION;
	room.head.kind = OW_MSG_NOTICE;
	room.head.buftype = OW_BUF_NULL;
	room.head.clt_slot = in->slot;
	room.head.clt_gen = in->gen;
	room.head.sent_ns = ow_clock_mono_ns();
	ow_queue_send(in->bell, &e, 50, OW_DEADLINE_NOW);
}

/* The request is whole: it goes to the thread with the others of its
 * message. */
static void accept(struct ow_br_inbound *in, const struct ow_br_frame *f,
		   const char *payload, uint64_t cost)
{
	struct item *i = malloc(sizeof(*i) + f->total);

	if (i == NULL) {
		in->arriving.lost++;
		return;
	}
	i->next = i->behind = NULL;
	i->tail = i;
	i->from = in->arriving.from;
	i->from.id = f->id;
	if (f->left_ns != 0)
		i->from.deadline = ow_clock_mono_ns() + f->left_ns;
	i->cost = cost;
	i->frame = *f;
	memcpy(i->payload, payload, f->total);
	*in->arriving.last = i;
	in->arriving.last = &i->next;
	in->arriving.n++;
}

void ow_br_requests_begin(struct ow_bridge *b, struct ow_br_peer *p)
{
	struct ow_br_inbound *in = b->inbound;

	in->arriving.first = NULL;
	in->arriving.last = &in->arriving.first;
	in->arriving.n = in->arriving.lost = 0;
	in->arriving.from = (struct origin){ .peer = p,
					     .session = p->session,
					     .link = p->link };
}

void ow_br_requests_end(struct ow_bridge *b)
{
	struct ow_br_inbound *in = b->inbound;
	struct ow_br_peer *p = in->arriving.from.peer;

	pthread_mutex_lock(&b->lock);
	p->calls_in += in->arriving.n;
	p->lost += in->arriving.lost;
	if (in->arriving.first != NULL) {
		*in->last = in->arriving.first;
		in->last = in->arriving.last;
		if (in->asleep && in->ready) {
			in->asleep = false;
			ring(in);
		}
	}
	pthread_mutex_unlock(&b->lock);
}

/* ---- the thread: replies ---- */

/* Is the link still the one by which the request came? Lock held. */
static bool is_wanted(const struct origin *from)
{
	return from->peer->up && from->peer->session == from->session &&
	       from->peer->link == from->link;
}

static void send_back(struct ow_bridge *b, const struct origin *from,
		      struct ow_br_out *o)
{
	bool wanted;

	o->frame.kind = OW_BR_REPLY;
	o->frame.id = from->id;
	pthread_mutex_lock(&b->lock);
	wanted = is_wanted(from);
	if (wanted)
		ow_br_queue(from->peer, OW_BR_REPLIES, o);
	else
		from->peer->lost++;
	pthread_mutex_unlock(&b->lock);
	if (!wanted)
		free(o);
}

static void send_error(struct ow_bridge *b, const struct origin *from,
		       int tperr)
{
	struct ow_br_out *o = from->id != 0 ? ow_br_out_new(0) : NULL;

	if (o == NULL)
		return;
	o->frame.buftype = OW_BUF_NULL;
	o->frame.tperr = tperr;
	send_back(b, from, o);
}

static void send_reply(struct ow_bridge *b, const struct origin *from,
		       const struct ow_envelope *e)
{
	const struct ow_msg *m = e->head;
	bool full = m->tperr == 0 || m->tperr == TPESVCFAIL;
	size_t len = full ? m->len : 0;
	struct ow_br_out *o = NULL;

	if (len <= OW_BR_LARGEST && (len == 0 || e->payload.data != NULL))
		o = ow_br_out_new(len);
	if (o == NULL) {
		send_error(b, from, len > OW_BR_LARGEST ? TPELIMIT : TPEOS);
		return;
	}
	o->frame.buftype = full ? m->buftype : OW_BUF_NULL;
	o->frame.sub_len = full ? m->sub_len : 0;
	o->frame.tperr = m->tperr;
	o->frame.urcode = m->urcode;
	o->frame.total = len;
	if (len > 0)
		memcpy(o->payload, e->payload.data, len);
	send_back(b, from, o);
}

/* Send back all replies that are here; how many. */
static int take_replies(struct ow_br_inbound *in)
{
	struct ow_ctx *c = in->c;
	int cd, n = 0;

	ow_await_take_in(c);
	while ((cd = c->kept_first) != 0) {
		send_reply(in->b, &in->origin[cd], &c->calls[cd].reply);
		ow_call_drop(c, cd);
		n++;
	}
	return n;
}

/* ---- the thread: requests ---- */

static bool is_same_link(const struct origin *a, const struct origin *z)
{
	return a->peer == z->peer && a->session == z->session &&
	       a->link == z->link;
}

/* The requests of one link that were taken give their credit back together. */
static void settle_credit(struct ow_br_inbound *in)
{
	struct ow_br_peer *p = in->settling.peer;

	if (in->credit == 0)
		return;
	pthread_mutex_lock(&in->b->lock);
	if (is_wanted(&in->settling))
		p->lane[OW_BR_REQUESTS].taken += in->credit;
	pthread_mutex_unlock(&in->b->lock);
	in->credit = 0;
	ow_br_credit(in->b, p);
}

static void give_credit(struct ow_br_inbound *in, const struct item *i)
{
	if (!is_same_link(&in->settling, &i->from) ||
	    in->credit >= OW_BR_WINDOW / 4)
		settle_credit(in);
	in->settling = i->from;
	in->credit += i->cost;
}

static void fill_request(struct ow_ctx *c, struct item *i,
			 struct ow_request *rq)
{
	const struct ow_br_frame *f = &i->frame;
	struct ow_content *data = &rq->data.content;
	struct ow_msg m;

	memset(&m, 0, sizeof(m));
	memset(rq, 0, sizeof(*rq));
	rq->svc = f->svc;
	rq->flags = (long)((f->flags & (TPNOTRAN | TPNOTIME)) | OW_MSG_ABROAD) |
		    TPNOBLOCK | (f->id == 0 ? TPNOREPLY : 0);
	rq->deadline = i->from.deadline;
	rq->data.info.type = (enum ow_buf_type)f->buftype;
	data->type = f->buftype;
	data->sub_len = f->sub_len;
	memcpy(data->subtype, i->payload, f->sub_len);
	data->payload.data = i->payload + f->sub_len;
	data->payload.len = f->total - f->sub_len;
	memcpy(m.trace_id, f->trace_id, sizeof(m.trace_id));
	memcpy(m.span_id, f->span_id, sizeof(m.span_id));
	m.trace_flags = f->trace_flags;
	ow_trace_enter(&c->trace, &m);
	c->prio_set = f->prio != 0 ? OW_PRIORITY_ABSOLUTE : OW_PRIORITY_NONE;
	c->prio_value = f->prio;
}

/* Queue the request: 0; -EAGAIN: there is no room, try again; else a tperrno:
 * it was not delivered. */
static int start(struct ow_br_inbound *in, struct item *i)
{
	struct ow_ctx *c = in->c;
	struct ow_request rq;
	int r;

	fill_request(c, i, &rq);
	if (i->from.id != 0) {
		rq.cd = ow_call_new(c, &rq.seq);
		if (rq.cd == 0)
			return -EAGAIN;
		in->origin[rq.cd] = i->from;
	}
	ow_tp_clear();
	r = ow_request_send(c, &rq);
	ow_trace_leave(&c->trace);
	if (r == 0) {
		ow_ctx_count_call(c);
		return 0;
	}
	r = tperrno;
	ow_call_drop(c, rq.cd);
	return r == TPEBLOCK ? -EAGAIN : r;
}

/* Try one: false, it stays. `waited`: its link may be lost by now. */
static bool serve(struct ow_br_inbound *in, struct item *i, bool waited)
{
	bool wanted = true;
	int r = 0;

	if (waited) {
		pthread_mutex_lock(&in->b->lock);
		wanted = is_wanted(&i->from);
		pthread_mutex_unlock(&in->b->lock);
	}
	if (wanted &&
	    (i->from.deadline == OW_DEADLINE_NEVER ||
	     !ow_deadline_passed(i->from.deadline, ow_clock_mono_ns())))
		r = start(in, i);
	if (r == -EAGAIN)
		return false;
	if (r != 0)
		send_error(in->b, &i->from, r);
	give_credit(in, i);
	return true;
}

/* The first one of a service that waits, at *at, is served: the one behind it
 * takes its place. */
static void remove_first(struct item **at)
{
	struct item *i = *at, *heir = i->behind;

	if (heir != NULL) {
		heir->next = i->next;
		heir->tail = i->tail;
	}
	*at = heir != NULL ? heir : i->next;
	free(i);
}

/* Try those that wait, of each service in their order; how many went. */
static int take_pending(struct ow_br_inbound *in)
{
	struct item **at = &in->pending;
	int n = 0;

	while (*at != NULL) {
		if (!serve(in, *at, true)) {
			at = &(*at)->next;
			continue;
		}
		remove_first(at);
		n++;
	}
	return n;
}

/* A request has come: 1, it went; 0, it waits, behind others of its service if
 * there are any. */
static int take_new(struct ow_br_inbound *in, struct item *i)
{
	struct item **at = &in->pending;

	while (*at != NULL && strcmp((*at)->frame.svc, i->frame.svc) != 0)
		at = &(*at)->next;
	i->next = NULL;
	if (*at != NULL) {
		(*at)->tail->behind = i;
		(*at)->tail = i;
		return 0;
	}
	if (serve(in, i, false)) {
		free(i);
		return 1;
	}
	*at = i;
	return 0;
}

/* Try all that waits, then what has come; how many went. */
static int take_requests(struct ow_br_inbound *in)
{
	int n = take_pending(in);
	struct item *news, *i;

	pthread_mutex_lock(&in->b->lock);
	news = in->news;
	in->news = NULL;
	in->last = &in->news;
	pthread_mutex_unlock(&in->b->lock);
	while ((i = news) != NULL) {
		news = i->next;
		n += take_new(in, i);
	}
	settle_credit(in);
	return n;
}

/* Forget calls whose deadline has passed: their callers know. */
static void expire(struct ow_br_inbound *in, uint64_t now)
{
	struct ow_ctx *c = in->c;
	int cd;

	for (cd = 1; cd < c->ncalls && c->outstanding > 0; cd++)
		if (c->calls[cd].state == OW_CALL_WAITING &&
		    ow_deadline_passed(in->origin[cd].deadline, now))
			ow_call_drop(c, cd);
}

/* ---- the delivery thread, again ---- */

/* The first part came, and there is no memory for the whole. */
static bool was_refused(const struct ow_br_peer *p, const struct ow_br_frame *f)
{
	const struct ow_br_partial *part = p->partial;

	while (part != NULL && part->frame.id != f->id)
		part = part->next;
	return f->offset == 0 && part == NULL;
}

void ow_br_request(struct ow_bridge *b, const struct ow_br_frame *f,
		   const char *payload)
{
	struct ow_br_inbound *in = b->inbound;
	struct origin from = in->arriving.from;
	uint64_t cost = f->len + OW_BR_COST;
	struct ow_br_partial *whole = NULL;
	bool refused = false;

	if (f->kind == OW_BR_REQUEST && f->len == f->total) {
		accept(in, f, payload, cost);
		return;
	}
	pthread_mutex_lock(&b->lock);
	if (is_wanted(&from)) {
		/* Its bytes are bounded by what may be partial. */
		from.peer->lane[OW_BR_REQUESTS].taken += cost;
		whole = ow_br_collect(b, &from.peer->partial, f, payload);
		refused = whole == NULL && was_refused(from.peer, f);
	}
	if (whole != NULL)
		accept(in, &whole->frame, whole->payload, 0);
	ow_br_partial_free(b, whole);
	pthread_mutex_unlock(&b->lock);
	from.id = f->id;
	if (refused)
		send_error(b, &from, TPELIMIT);
}

/* ---- the thread ---- */

/* A request has found its queue full: wait until there is room, or a message
 * for us, or it is time to try the others that wait. */
static int wait_for_room(struct ow_br_inbound *in, uint64_t until)
{
	struct ow_svcq *sq = NULL;

	if (ow_svcq_find_despite(in->c, in->pending->frame.svc, OW_SVC_CACHED,
				 &sq) != 0)
		return 0; /* no longer offered: it is refused now */
	return ow_queue_wait_either(sq->queue, in->c->replyq, until);
}

/* Sleep until a reply or a request comes. False: the bridge ends. */
static bool rest(struct ow_br_inbound *in)
{
	uint64_t now = ow_clock_mono_ns();
	bool direct, ended, sleeps;
	int r;

	pthread_mutex_lock(&in->b->lock);
	ended = in->b->ended;
	sleeps = in->asleep = in->news == NULL;
	pthread_mutex_unlock(&in->b->lock);
	if (ended || !sleeps)
		return !ended;
	if (in->pending != NULL)
		r = wait_for_room(in, now + RETRY_NS);
	else
		r = ow_await_message(in->c, now + IDLE_NS, NULL, &direct);
	pthread_mutex_lock(&in->b->lock);
	in->asleep = false;
	pthread_mutex_unlock(&in->b->lock);
	if (r == OW_QUEUE_TIMEOUT && in->pending == NULL &&
	    in->c->outstanding > 0)
		ow_svcq_nudge(in->c);
	return true;
}

static bool join_domain(struct ow_br_inbound *in)
{
	in->c = ow_ctx_get();
	if (in->c == NULL || ow_ctx_need_domain(in->c) != 0 ||
	    ow_slot_need(in->c, OW_DEADLINE_NEVER) != 0 ||
	    ow_queue_open(in->b->dom, ow_reply_queue(in->c->slot),
			  &in->bell) != 0) {
		log_error("requests of other nodes: %s", ow_tp_detail());
		return false;
	}
	pthread_mutex_lock(&in->b->lock);
	in->slot = in->c->slot;
	in->gen = in->c->gen;
	in->ready = true;
	pthread_mutex_unlock(&in->b->lock);
	return true;
}

static void *run(void *arg)
{
	struct ow_br_inbound *in = arg;
	uint64_t now, swept_ns = 0;
	int n;

	while (join_domain(in)) {
		do {
			n = take_replies(in);
			n += take_requests(in);
			if (n > 0)
				ow_br_flush(in->b);
			now = ow_clock_mono_ns();
			if (now - swept_ns > OW_NS_PER_SEC) {
				expire(in, now);
				swept_ns = now;
			}
		} while (n > 0 || rest(in));
		break;
	}
	ow_ctx_leave();
	return NULL;
}

int ow_br_inbound_start(struct ow_bridge *b)
{
	struct ow_br_inbound *in = calloc(1, sizeof(*in));

	if (in == NULL)
		return -ENOMEM;
	in->b = b;
	in->last = &in->news;
	b->inbound = in;
	return -pthread_create(&in->thread, NULL, run, in);
}

void ow_br_inbound_stop(struct ow_bridge *b)
{
	if (b->inbound != NULL)
		pthread_join(b->inbound->thread, NULL);
}

void ow_br_inbound_free(struct ow_bridge *b)
{
	struct ow_br_inbound *in = b->inbound;
	struct item *i;

	if (in == NULL)
		return;
	while ((i = in->news) != NULL) {
		in->news = i->next;
		free(i);
	}
	while (in->pending != NULL)
		remove_first(&in->pending);
	ow_queue_close(in->bell);
	free(in);
	b->inbound = NULL;
}
