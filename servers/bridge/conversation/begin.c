/* SPDX-License-Identifier: Apache-2.0 */
/*
 * begin.c - a conversation begins, at another node or here
 *
 * At another node: this bridge connects to the service, as its program would.
 * Here: the other node has accepted what a program of this node began, and this
 * bridge accepts it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/converse/converse.h"
#include "libatmi/call/request.h"
#include "libatmi/converse/ends/post.h"
#include "libatmi/log/log.h"
#include "libatmi/wire/msg.h"
#include "servers/bridge/conversation/begin.h"
#include "servers/bridge/conversation/end.h"
#include "servers/bridge/conversation/said.h"
#include "servers/bridge/in/request.h"
#include "servers/bridge/peers/send.h"

/* The conversation of end `e`: 0, or -ENOMEM, and the end is gone. */
static int enter(struct ow_br_convs *t, const struct ow_br_said *s, bool own,
		 struct ow_conv *e, struct ow_br_conv **ret)
{
	struct ow_br_conv *k = calloc(1, sizeof(*k));

	if (k != NULL) {
		k->key.peer = s->from.peer;
		k->key.id = s->from.id;
		k->key.own = own;
		k->link = s->from;
		k->end = e;
		k->last = &k->first;
		HASH_ADD(hh, t->table, key, sizeof(k->key), k);
		if (k->hh.tbl == NULL) {
			free(k);
			k = NULL;
		}
	}
	if (k == NULL) {
		ow_conv_drop(t->c->convs, e);
		return -ENOMEM;
	}
	t->at[e->cd] = k;
	*ret = k;
	return 0;
}

/* ---- from another node ---- */

static void refuse(struct ow_br_convs *t, const struct ow_br_said *s, int tperr)
{
	struct ow_br_out *o = ow_br_out_new(0);

	if (o == NULL)
		return;
	o->frame.kind = OW_BR_REPLY;
	o->frame.id = s->from.id;
	o->frame.buftype = OW_BUF_NULL;
	o->frame.tperr = tperr;
	ow_br_conv_send(t, &s->from, o);
}

/* The parts of the request that only conversations have (tpconnect.c), and the
 * first caller, who is at another node. */
static void fill_origin(struct ow_ctx *c, const struct ow_br_frame *f,
			struct ow_msg *m)
{
	*m = (struct ow_msg){ .flags = (f->flags & (TPSENDONLY | TPRECVONLY |
						    TPNOTRAN | TPNOTIME)) |
				       TPCONV,
			      .clt_slot = c->slot,
			      .clt_gen = c->gen,
			      .tran = (uint64_t)f->urcode,
			      .conv_op = OW_CONV_CONNECT };
	if (m->tran != 0)
		m->flags |= OW_MSG_REMOTE_CALLER;
	ow_trace_stamp(&c->trace, m);
}

/* Queue the request, of end `e`: 0, or -1 with tperrno. */
static int send_request(struct ow_ctx *c, struct ow_br_said *s,
			const struct ow_conv *e)
{
	struct ow_request rq;
	struct ow_msg origin;
	int r;

	ow_br_request_fill(c, &s->frame, s->payload, s->from.deadline, &rq);
	fill_origin(c, &s->frame, &origin);
	origin.cd = e->cd + 1;
	origin.seq = e->seq;
	rq.cd = origin.cd;
	rq.origin = &origin;
	ow_tp_clear();
	r = ow_request_send(c, &rq);
	ow_trace_leave(&c->trace);
	if (r == 0)
		ow_ctx_count_call(c);
	return r;
}

/* Is it over already, or begun twice? */
static bool is_due(struct ow_br_convs *t, const struct ow_br_said *s)
{
	struct ow_br_conv_key key = { .peer = s->from.peer, .id = s->from.id };
	struct ow_br_conv *k = NULL;
	bool wanted;

	HASH_FIND(hh, t->table, &key, sizeof(key), k);
	pthread_mutex_lock(&t->peers->lock);
	wanted = ow_br_is_wanted(&s->from);
	pthread_mutex_unlock(&t->peers->lock);
	return k == NULL && wanted &&
	       !ow_deadline_passed(s->from.deadline, ow_clock_mono_ns());
}

int ow_br_conv_connect(struct ow_br_convs *t, struct ow_br_said *s)
{
	const struct ow_msg ends = { .flags = 0 };
	struct ow_br_conv *k = NULL;
	struct ow_conv *e = NULL;
	int r;

	if (!is_due(t, s))
		return 0;
	r = ow_br_authorize(t->dir, &t->door, &s->frame, s->from.peer->node,
			&s->caller);
	if (r == 0 && ow_converse_begin(t->c, true, &ends, &e) != 0)
		r = tperrno;
	if (r == 0 && send_request(t->c, s, e) != 0) {
		r = tperrno;
		ow_conv_drop(t->c->convs, e);
		if (r == TPEBLOCK)
			return -EAGAIN;
	}
	if (r == 0 && enter(t, s, false, e, &k) != 0)
		r = TPEOS; /* a server that accepts is told that it is over */
	if (r != 0) {
		refuse(t, s, r);
		return 0;
	}
	pthread_mutex_lock(&t->peers->lock);
	if (ow_br_is_wanted(&s->from)) {
		s->from.peer->calls_in++;
		s->from.peer->convs++;
	}
	pthread_mutex_unlock(&t->peers->lock);
	return 0;
}

/* ---- of this node ---- */

/* It does not begin: both ends are told. */
static void give_up(struct ow_br_convs *t, const struct ow_br_said *s,
		    int tperr)
{
	struct ow_br_peer *p = s->from.peer;

	log_error("a conversation with node %u: %s", p->node,
		  tpstrerror(tperr));
	pthread_mutex_lock(&t->peers->lock);
	if (ow_br_is_wanted(&s->from) && p->outstanding > 0)
		p->outstanding--;
	pthread_mutex_unlock(&t->peers->lock);
	ow_br_conv_answer(s->call->number, tperr, NULL);
	ow_br_conv_refuse(t, s);
	t->flush = true;
}

void ow_br_conv_open(struct ow_br_convs *t, struct ow_br_said *s)
{
	const struct ow_msg ends = { .flags = 0 };
	struct ow_br_conv *k = NULL;
	struct ow_conv *e = NULL;
	int r;

	if (ow_converse_begin(t->c, false, &ends, &e) != 0) {
		give_up(t, s, tperrno);
		return;
	}
	if (enter(t, s, true, e, &k) != 0) {
		give_up(t, s, TPEOS);
		return;
	}
	k->number = s->call->number;
	e->svc = s->call->svc;
	ow_conv_meet(t->c->convs, e, &s->call->other);
	r = ow_conv_accept(t->c->convs, e);
	if (r < 0)
		ow_br_conv_fail(t, k, strerror(-r));
	else if (r == OW_QUEUE_GONE) /* its program has left meanwhile */
		ow_conv_over(e, TPEV_DISCONIMM);
}
