/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - the spans of what a context sends
 */
#include "libatmi/call/spans.h"

#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/draft.h"
#include "libatmi/wire/msg.h"

static const uint8_t none[8];

/* What the context is in becomes the parent: of a server the span that serves
 * its request, of a client that of TRACEPARENT; of a request of another node
 * its caller's. */
static void set_parent(const struct ow_ctx *c, bool remote, struct ow_span *s)
{
	if (memcmp(c->trace.span_id, none, sizeof(none)) == 0)
		return;
	if (c->srvid != 0 && !remote)
		ow_span_id_served(c->trace.span_id, s->parent);
	else
		memcpy(s->parent, c->trace.span_id, sizeof(s->parent));
}

static void set_ids(struct ow_span *s, const struct ow_msg *m)
{
	memcpy(s->trace_id, m->trace_id, sizeof(s->trace_id));
	memcpy(s->id, m->span_id, sizeof(s->id));
	s->flags = m->trace_flags;
}

/* Of a request without a reply, or that is forwarded. */
static void describe(const struct ow_ctx *c, const struct ow_request *rq,
		     const struct ow_msg *m, struct ow_span *s)
{
	ow_span_begin(s, OW_SPAN_CALL, rq->svc, m->sent_ns);
	set_ids(s, m);
	s->tran = ow_msg_tran(m);
	s->len = m->len;
	s->prio = m->prio;
	s->srvid = c->srvid;
	if (rq->origin != NULL) {
		s->kind = OW_SPAN_FORWARD;
		ow_span_id_served(rq->origin->span_id, s->parent);
		return;
	}
	if (rq->how & OW_REQUEST_REMOTE)
		s->kind = OW_SPAN_HOP;
	else
		s->kind = OW_SPAN_SEND;
	set_parent(c, (rq->how & OW_REQUEST_REMOTE) != 0, s);
}

__attribute__((noinline)) static void note_sent(const struct ow_ctx *c,
						const struct ow_request *rq,
						const struct ow_msg *m)
{
	struct ow_span s;

	describe(c, rq, m, &s);
	ow_span_note(&s);
}

/* Few calls have this. */
__attribute__((noinline, cold)) static void
begin_unusual(const struct ow_request *rq, struct ow_call_more *more)
{
	struct ow_span *s = &more->span;

	if (rq->how & OW_REQUEST_REMOTE)
		s->kind = OW_SPAN_HOP;
	if (rq->how & OW_REQUEST_REMOTE_CALLER)
		s->tran = 0;
	if ((rq->how & OW_REQUEST_RENAMED) == 0)
		return;
	more->svc = 0;
	memset(s->name, 0, sizeof(s->name));
	memcpy(s->name, rq->svc, strnlen(rq->svc, sizeof(s->name) - 1));
}

/* A call was sent. Each comes here while spans are noted, and most are not wanted at
 * their end, so that what is known then is not said now. */
static inline void begin(const struct ow_ctx *c, const struct ow_request *rq,
			 const struct ow_msg *m, struct ow_call_more *more)
{
	struct ow_span *s = &more->span;

	ow_traced_copy(s, OW_SPAN_CALL, m);
	s->begin_ns = m->sent_ns;
	memcpy(s->parent, c->trace.span_id, sizeof(s->parent));
	more->chosen = ow_span_is_chosen(m->trace_id, m->trace_flags);
	more->svc = m->svc + 1;
	if (rq->how & (OW_REQUEST_RENAMED | OW_REQUEST_REMOTE |
		       OW_REQUEST_REMOTE_CALLER))
		begin_unusual(rq, more);
}

/* The first call of a context, or one of several. */
__attribute__((noinline, cold)) static void
begin_anew(struct ow_ctx *c, const struct ow_request *rq,
	   const struct ow_msg *m, struct ow_call *call)
{
	struct ow_call_more *more = ow_call_need_more(c, call);

	if (more != NULL)
		begin(c, rq, m, more);
}

/* A request that is no call of this context. */
__attribute__((noinline)) static void other_sent(const struct ow_ctx *c,
						 const struct ow_request *rq,
						 const struct ow_msg *m)
{
	if (m->conv_op != OW_CONV_NONE)
		return; /* ow_traced_conversation() */
	if (rq->origin == NULL && rq->cd > 0 && rq->cd < c->ncalls)
		return;
	if (ow_span_is_chosen(m->trace_id, m->trace_flags) ||
	    ow_span_is_slow(rq->queued_ns - m->sent_ns))
		note_sent(c, rq, m);
}

void ow_traced_sent(struct ow_ctx *c, const struct ow_request *rq,
		    const struct ow_msg *m, struct ow_call *call)
{
	struct ow_call_more *more = c->spare;

	if (call == NULL || m->conv_op != OW_CONV_NONE)
		return other_sent(c, rq, m);
	if (more == NULL || call->more != NULL)
		return begin_anew(c, rq, m, call);
	c->spare = NULL;
	call->more = more;
	begin(c, rq, m, more);
}

void ow_traced_unsent(struct ow_ctx *c, const struct ow_request *rq)
{
	struct ow_msg m = { .conv_op = OW_CONV_NONE };
	struct ow_span s;

	ow_trace_stamp(&c->trace, &m);
	ow_span_begin(&s, OW_SPAN_CALL, rq->svc,
		      rq->begin_ns != 0 ? rq->begin_ns : ow_clock_mono_ns());
	set_ids(&s, &m);
	set_parent(c, false, &s);
	s.srvid = c->srvid;
	s.tperr = tperrno;
	ow_span_note(&s);
}

struct ow_span *ow_traced_conversation(struct ow_ctx *c, const char *svc,
				       const struct ow_msg *m)
{
	struct ow_span *s = malloc(sizeof(*s));

	if (s == NULL)
		return NULL;
	ow_span_begin(s, OW_SPAN_CONVERSE, svc, ow_clock_mono_ns());
	set_ids(s, m);
	set_parent(c, false, s);
	s->tran = ow_msg_tran(m);
	s->srvid = c->srvid;
	return s;
}

/* ---- a function that makes calls of its own ---- */

void ow_traced_begin(struct ow_ctx *c, struct ow_traced_scope *s,
		     enum ow_span_kind kind, const char *name)
{
	struct ow_msg m = { .conv_op = OW_CONV_NONE };

	ow_trace_stamp(&c->trace, &m);
	ow_span_begin(&s->span, kind, name, ow_clock_mono_ns());
	set_ids(&s->span, &m);
	set_parent(c, false, &s->span);
	s->span.srvid = c->srvid;
	s->span.tran = c->tran;
	s->was = c->trace;
	memcpy(c->trace.trace_id, m.trace_id, sizeof(c->trace.trace_id));
	/* So that it is what set_parent() makes of it. */
	if (c->srvid != 0)
		ow_span_id_served(s->span.id, c->trace.span_id);
	else
		memcpy(c->trace.span_id, s->span.id,
		       sizeof(c->trace.span_id));
}

void ow_traced_end(struct ow_ctx *c, struct ow_traced_scope *s, int tperr)
{
	c->trace = s->was;
	s->span.tperr = tperr;
	ow_span_note(&s->span);
}
