/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.c - a request of this node goes to another one
 *
 * The bridge is an ordinary server of the services that others offer. Its
 * function copies what the request carries, hands the request on (so that its
 * record outlives the function, and a killed bridge's callers are told), and
 * returns: the next request is served while this one is under way.
 */
#include "servers/bridge/out/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/call/content.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/door/door.h"
#include "libatmi/log/log.h"
#include "libatmi/wire/remote_caller.h"
#include "libatmi/wire/msg.h"
#include "libatmisrv/deferred.h"
#include "servers/bridge/directory/offers.h"
#include "servers/bridge/out/choose.h"
#include "servers/bridge/out/pause.h"
#include "servers/bridge/out/refuse.h"
#include "servers/bridge/peers/allowance.h"
#include "servers/bridge/peers/send.h"

static struct ow_br_calls *self;

void ow_br_set_self(struct ow_br_calls *cs)
{
	self = cs;
}

struct ow_br_calls *ow_br_self(void)
{
	return self;
}

/* The client that began it, of this node or of another one
 * (wire/remote_caller.h). */
static uint64_t first_caller(const struct ow_msg *m)
{
	const struct ow_remote_caller f = { .node = self->peers->opt.node,
					    .slot = m->clt_slot,
					    .gen = m->clt_gen };

	return m->flags & OW_MSG_REMOTE_CALLER ? m->tran
					       : ow_remote_caller_pack(f);
}

/* What is sent: 0, or a tperrno. */
static int compose(const TPSVCINFO *svc, const struct ow_msg *m,
		   struct ow_br_out **ret)
{
	struct ow_sending s;
	struct ow_content *c = &s.content;
	struct ow_br_out *o = NULL;
	const char *name;
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
		o->ubf = c->type == OW_BUF_UBF;
		o->frame.sub_len = c->sub_len;
		o->frame.total = len;
	}
	ow_content_end(&s);
	if (o == NULL)
		return len > OW_BR_LARGEST ? TPELIMIT : TPEOS;
	o->deadline = m->deadline_ns;
	o->frame.kind = OW_BR_REQUEST;
	if (m->conv_op != OW_CONV_NONE) {
		o->deadline = ow_msg_accept_by(m);
		o->frame.kind = OW_BR_CONNECT;
	}
	o->frame.prio = m->prio;
	o->frame.flags = m->flags & ~OW_BR_IN_TRAN;
	o->frame.urcode = (int64_t)first_caller(m);
	memcpy(o->frame.trace_id, m->trace_id, sizeof(m->trace_id));
	memcpy(o->frame.span_id, m->span_id, sizeof(m->span_id));
	o->frame.trace_flags = m->trace_flags;
	name = ow_br_true_name(svc->name);
	memcpy(o->frame.svc, name, strnlen(name, sizeof(o->frame.svc) - 1));
	*ret = o;
	return 0;
}

/* ---- to whom ---- */

/* Does so much wait for `p` that no more of this service should? */
static bool is_full(const struct ow_br_peer *p, const struct ow_br_out *o)
{
	return ow_br_is_full(p) ||
	       ow_br_allowance_is_full(
		       p, ow_br_allowance_service(&o->frame), 1);
}

/* May the request join those that wait for `p`? 0, or a tperrno. A one-way call is
 * never refused for want of room: it was accepted. Nor is a call whose service
 * can be paused: the next one waits in the queue. */
static int may_join(const struct ow_br_calls *cs, const struct ow_br_peer *p,
		    const struct ow_br_out *o, const struct ow_msg *m,
		    bool pausable)
{
	if (p == NULL)
		return TPENOENT;
	if (o->ubf && cs->dir->tables != 0 && p->tables != 0 &&
	    cs->dir->tables != p->tables) {
		log_error("call of %s: the field tables of node %u are not "
			  "those of this node (FLDTBLDIR, FIELDTBLS)",
			  o->frame.svc, p->node);
		return TPEITYPE;
	}
	if (m->cd == 0)
		return 0;
	if (!pausable && is_full(p, o))
		return TPEBLOCK;
	if ((m->flags & TPNOBLOCK) &&
	    (ow_br_is_held(p, OW_BR_REQUESTS) ||
	     ow_br_allowance_holds(p, ow_br_allowance_service(&o->frame))))
		return TPEBLOCK;
	return 0;
}

/* ---- sent ---- */

/* Enter the call, whose request is deferred: 0 or -ENOMEM. Lock held. */
static int enter(struct ow_br_calls *cs, struct ow_br_peer *p,
		 struct ow_br_out *o, const struct ow_msg *m, uint64_t number)
{
	struct ow_br_call *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return -ENOMEM;
	c->id = o->frame.id = ++cs->last_id;
	c->number = number;
	c->peer = p;
	c->deadline = o->deadline;
	c->begun_ns = ow_clock_mono_ns();
	memcpy(c->span_id, o->frame.span_id, sizeof(c->span_id));
	if (o->frame.kind == OW_BR_REQUEST)
		c->time = ow_br_time_need(&cs->times, p->node, o->frame.svc);
	if (o->frame.kind == OW_BR_CONNECT) {
		c->other = (struct ow_conv_other){ .slot = m->clt_slot,
						   .gen = m->clt_gen,
						   .cd = m->cd,
						   .seq = m->seq };
		c->svc = m->svc;
	}
	c->tran = o->tran;
	c->tran_log = o->tran_log;
	c->flags = o->frame.flags;
	HASH_ADD(hh, cs->calls, id, sizeof(c->id), c);
	if (c->hh.tbl == NULL) {
		free(c);
		return -ENOMEM;
	}
	p->outstanding++;
	return 0;
}

/* Lock held. */
static void queue_request(struct ow_br_peer *p, struct ow_br_out *o)
{
	p->calls_out++;
	ow_br_queue(p, OW_BR_REQUESTS, o);
}

/* Is its queue that of a program's service? That of messages and questions of the
 * runtime, which are for all nodes, is not paused for one of them. */
static bool is_of_program(const struct ow_br_frame *f)
{
	return f->kind == OW_BR_REQUEST || f->kind == OW_BR_CONNECT;
}

/* The request in hand waits for `p`, perhaps with so many of its service that
 * no more are to be taken from its queue. What has no queue of its own shares
 * one: that goes on until twice as much waits as should. Lock held. */
static void pause_if_full(struct ow_br_calls *cs, struct ow_br_peer *p,
			  const struct ow_br_out *o, bool pausable)
{
	if (!is_of_program(&o->frame))
		return;
	if (pausable ? is_full(p, o)
		     : p->aside >= 2 * OW_BR_HOLD ||
			       p->lane[OW_BR_REQUESTS].waiting >=
				       2 * OW_BR_HOLD ||
			       p->aside_bytes + p->lane[OW_BR_REQUESTS]
						    .waiting_bytes >=
				       2 * OW_BR_HOLD_BYTES)
		ow_br_pause_service(cs, p, pausable ? o->frame.svc : NULL);
}

/* 0: it waits to be sent; a tperrno. *ret_deferred: the request is deferred, as
 * *number. */
static int join(struct ow_br_calls *cs, struct ow_br_out *o,
		const struct ow_msg *m, uint64_t *number, bool *ret_deferred)
{
	bool wanted = m->cd != 0;
	bool pausable = is_of_program(&o->frame) && !ow_deferred_is_shared();
	struct ow_br_peer *p;
	int r;

	pthread_mutex_lock(&cs->peers->lock);
	p = o->node != 0 ? ow_br_choose_of(cs, o)
			 : ow_br_choose(cs, o->frame.svc);
	r = may_join(cs, p, o, m, pausable);
	if (r == 0 && wanted) {
		r = ow_deferred_begin(number) == 0 ? 0 : TPEOS;
		*ret_deferred = r == 0;
		if (r == 0 && enter(cs, p, o, m, *number) != 0)
			r = TPEOS;
	}
	if (r == 0) {
		queue_request(p, o);
		pause_if_full(cs, p, o, pausable);
	}
	pthread_mutex_unlock(&cs->peers->lock);
	return r;
}

int ow_br_join_deferred(struct ow_br_calls *cs, struct ow_br_out *o,
			uint64_t number, uint32_t flags)
{
	const struct ow_msg m = { .cd = 1, .flags = flags };
	struct ow_br_peer *p;
	int r;

	pthread_mutex_lock(&cs->peers->lock);
	p = ow_br_choose_of(cs, o);
	r = may_join(cs, p, o, &m, false);
	if (r == 0 && enter(cs, p, o, &m, number) != 0)
		r = TPEOS;
	if (r == 0)
		queue_request(p, o);
	pthread_mutex_unlock(&cs->peers->lock);
	return r;
}

void ow_br_send_joined(struct ow_br_calls *cs, size_t len, bool oneway)
{
	cs->gathered += ow_br_frame_size(len);
	if (oneway && cs->gathered < OW_BR_BATCH && ow_deferred_more())
		return;
	cs->gathered = 0;
	ow_br_flush(cs->peers);
}

/* The name with which the caller has logged in here, if it has. */
static void name_caller(struct ow_br_calls *cs, const struct ow_msg *m,
			struct ow_br_out *o)
{
	struct ow_caller c = { 0 };
	bool server = false;

	if (ow_door_who(cs->peers->dom, m->clt_slot, m->clt_gen, &c,
			&server) == 0 && !server)
		snprintf(o->caller.login, sizeof(o->caller.login), "%s",
			 c.login);
}

void ow_br_send_remote(struct ow_br_calls *cs, struct ow_br_out *o,
		       const struct ow_msg *m)
{
	struct ow_deferred_answer failed = { .tperr = 0 };
	size_t len = o->frame.total;
	uint64_t number = 0;
	uint32_t flags = m->flags;
	bool deferred = false;

	failed.tperr = join(cs, o, m, &number, &deferred);
	if (failed.tperr == 0) {
		ow_br_send_joined(cs, len, !deferred);
		if (!deferred)
			tpreturn(TPSUCCESS, 0, NULL, 0, 0);
		return;
	}
	free(o);
	failed.tperr = ow_br_error_of(flags, failed.tperr);
	failed.urcode = ow_br_urcode_of(failed.tperr);
	if (deferred)
		ow_deferred_answer(number, &failed);
	else
		ow_br_refuse(failed.tperr);
}

void ow_br_remote(TPSVCINFO *svc)
{
	const struct ow_msg *m = ow_deferred_request();
	struct ow_br_out *o = NULL;
	int r;

	if (m == NULL)
		m = ow_deferred_connect();
	if (m == NULL) {
		ow_br_refuse(TPESVCERR);
		return;
	}
	if (m->flags & OW_MSG_REMOTE)
		r = TPENOENT;
	else if (m->conv_op != OW_CONV_NONE && ow_msg_tran(m) != 0)
		r = TPETRAN;
	else
		r = compose(svc, m, &o);
	if (r == 0 && atomic_load(&self->peers->callers_wanted))
		name_caller(self, m, o);
	if (r != 0)
		ow_br_refuse(r);
	else if (ow_msg_tran(m) != 0)
		self->send_in_tran(self->arg, o, m);
	else
		ow_br_send_remote(self, o, m);
}
