/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abroad.c - a request of this node goes to another one
 *
 * The bridge is an ordinary server of the services that others offer. Its
 * function copies what the request carries, hands the request on (so that its
 * record outlives the function, and a killed bridge's callers are told), and
 * returns: the next request is served while this one is under way.
 */
#include "bridge/abroad.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bridge/bridge.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/call/content.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/log/log.h"
#include "libatmi/wire/msg.h"
#include "libatmisrv/handed.h"

static struct ow_bridge *self;

void ow_br_set_self(struct ow_bridge *b)
{
	self = b;
}

struct ow_bridge *ow_br_self(void)
{
	return self;
}

static void refuse(int tperr)
{
	tpreturn(TPFAIL, tperr, NULL, 0, TPSOFTERR);
}

/* What is sent: 0, or a tperrno. */
static int compose(const TPSVCINFO *svc, const struct ow_msg *m,
		   struct ow_br_out **ret)
{
	struct ow_sending s;
	struct ow_content *c = &s.content;
	struct ow_br_out *o = NULL;
	size_t len;

	if (ow_content_begin(&s, svc->data, svc->len) != 0)
		return TPESVCERR;
	len = c->sub_len + c->payload.len;
	if (len <= OW_BR_LARGEST)
		o = ow_br_out_new(len);
	if (o != NULL) {
		memcpy(o->payload, c->subtype, c->sub_len);
		if (c->payload.len > 0)
			memcpy(o->payload + c->sub_len, c->payload.data,
			       c->payload.len);
		o->frame.buftype = c->type;
		o->frame.sub_len = c->sub_len;
		o->frame.total = len;
	}
	ow_content_end(&s);
	if (o == NULL)
		return len > OW_BR_LARGEST ? TPELIMIT : TPEOS;
	o->deadline = m->deadline_ns;
	o->frame.kind = OW_BR_REQUEST;
	o->frame.prio = m->prio;
	o->frame.flags = m->flags;
	memcpy(o->frame.trace_id, m->trace_id, sizeof(m->trace_id));
	memcpy(o->frame.span_id, m->span_id, sizeof(m->span_id));
	o->frame.trace_flags = m->trace_flags;
	memcpy(o->frame.svc, svc->name,
	       strnlen(svc->name, sizeof(o->frame.svc) - 1));
	*ret = o;
	return 0;
}

/* ---- to whom ---- */

/* Is `p` better than `q`? Fewer calls under way, then the shorter time. */
static bool is_better(const struct ow_br_peer *p, const struct ow_br_peer *q)
{
	uint32_t a = p->outstanding + p->lane[0].waiting,
		 z = q->outstanding + q->lane[0].waiting;

	return a != z ? a < z : p->rtt_ns / 2 < q->rtt_ns / 2;
}

/* The bridge to which a call of `svc` goes; NULL: nobody offers it. The search
 * begins elsewhere each time: equals get equal shares. Lock held. */
static struct ow_br_peer *choose(struct ow_bridge *b, const char *svc)
{
	struct ow_br_peer *p, *best = NULL;
	uint32_t i;

	b->turn++;
	for (i = 0; i < b->npeers; i++) {
		p = b->peer[(b->turn + i) % b->npeers];
		if (p->up && ow_br_names_has(&p->offers, svc) &&
		    (best == NULL || is_better(p, best)))
			best = p;
	}
	return best;
}

static bool is_full(const struct ow_br_peer *p)
{
	return p->lane[OW_BR_REQUESTS].waiting >= OW_BR_HOLD ||
	       p->lane[OW_BR_REQUESTS].waiting_bytes >= OW_BR_HOLD_BYTES;
}

/* May the request join those that wait for `p`? 0, or a tperrno; EAGAIN below
 * 0: a one-way call, which waits here. */
static int admit(const struct ow_bridge *b, const struct ow_br_peer *p,
		 const struct ow_br_out *o, const struct ow_msg *m)
{
	if (p == NULL)
		return TPENOENT;
	if (o->frame.buftype == OW_BUF_UBF && b->tables != 0 &&
	    p->tables != 0 && b->tables != p->tables) {
		log_error("call of %s: the field tables of node %u are not "
			  "those of this node (FLDTBLDIR, FIELDTBLS)",
			  o->frame.svc, p->node);
		return TPEITYPE;
	}
	if (is_full(p))
		return m->cd != 0 || (m->flags & TPNOBLOCK) ? TPEBLOCK
							    : -EAGAIN;
	if ((m->flags & TPNOBLOCK) && ow_br_is_held(p, OW_BR_REQUESTS))
		return TPEBLOCK;
	return 0;
}

/* ---- sent ---- */

/* Enter the call, whose request is handed on: 0 or -ENOMEM. Lock held. */
static int enter(struct ow_bridge *b, struct ow_br_peer *p,
		 struct ow_br_out *o, uint64_t number)
{
	struct ow_br_call *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return -ENOMEM;
	c->id = o->frame.id = ++b->last_id;
	c->number = number;
	c->peer = p;
	c->deadline = o->deadline;
	c->begun_ns = ow_clock_mono_ns();
	HASH_ADD(hh, b->calls, id, sizeof(c->id), c);
	if (c->hh.tbl == NULL) {
		free(c);
		return -ENOMEM;
	}
	p->outstanding++;
	return 0;
}

/* One attempt: 0 it waits to be sent; a tperrno; -EAGAIN. *ret_handed: the
 * request is handed on, as *number. */
static int join(struct ow_bridge *b, struct ow_br_out *o,
		const struct ow_msg *m, uint64_t *number, bool *ret_handed)
{
	bool wanted = m->cd != 0;
	struct ow_br_peer *p;
	int r;

	pthread_mutex_lock(&b->lock);
	p = choose(b, o->frame.svc);
	r = admit(b, p, o, m);
	if (r == 0 && wanted) {
		r = ow_handed_begin(number) == 0 ? 0 : TPEOS;
		*ret_handed = r == 0;
		if (r == 0 && enter(b, p, o, *number) != 0)
			r = TPEOS;
	}
	if (r == 0) {
		p->calls_out++;
		ow_br_queue(p, OW_BR_REQUESTS, o);
	}
	pthread_mutex_unlock(&b->lock);
	return r;
}

/* A one-way call finds no room: the bridge takes no more until there is some,
 * so the queue fills and callers wait there. */
static int join_patiently(struct ow_bridge *b, struct ow_br_out *o,
			  const struct ow_msg *m, uint64_t *number,
			  bool *ret_handed)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	int r = join(b, o, m, number, ret_handed);

	while (r == -EAGAIN) {
		if (ow_deadline_passed(m->deadline_ns, ow_clock_mono_ns()))
			return TPETIME;
		ow_ctx_peek()->attend(); /* ndrxd's pings */
		nanosleep(&moment, NULL);
		r = join(b, o, m, number, ret_handed);
	}
	return r;
}

/* A request has joined those that wait to be sent. A one-way call, for which
 * nobody waits, goes with those behind it in the queue, up to a batch. Should
 * another bridge take them, the clock sends it. */
static void send_joined(struct ow_bridge *b, size_t len, bool oneway)
{
	b->gathered += ow_br_frame_size(len);
	if (oneway && b->gathered < OW_BR_BATCH && ow_handed_more())
		return;
	b->gathered = 0;
	ow_br_flush(b);
}

void ow_br_abroad(TPSVCINFO *svc)
{
	const struct ow_msg *m = ow_handed_request();
	struct ow_handed_answer failed = { .tperr = 0 };
	struct ow_bridge *b = self;
	struct ow_br_out *o = NULL;
	uint64_t number = 0;
	bool handed = false;
	size_t len;
	int r;

	if (m == NULL) {
		log_error("service %s is on another node: no conversation "
			  "goes there", svc->name);
		refuse(TPEPROTO);
		return;
	}
	r = (m->flags & OW_MSG_ABROAD) ? TPENOENT
	    : ow_msg_tran(m) != 0      ? TPETRAN
				       : compose(svc, m, &o);
	len = o != NULL ? o->frame.total : 0;
	if (r == 0)
		r = join_patiently(b, o, m, &number, &handed);
	if (r == 0) {
		send_joined(b, len, !handed);
		if (!handed)
			tpreturn(TPSUCCESS, 0, NULL, 0, 0);
		return;
	}
	free(o);
	failed.tperr = r;
	if (handed)
		ow_handed_answer(number, &failed);
	else
		refuse(r);
}
