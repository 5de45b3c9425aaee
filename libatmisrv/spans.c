/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - the spans of services
 */
#include "libatmisrv/spans.h"

#include <string.h>
#include <xatmi.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/call/spans.h"
#include "libatmi/lcf/follow/follow.h"
#include "libatmi/span/note.h"
#include "libatmi/span/ring.h"
#include "libatmi/wire/msg.h"
#include "libatmisrv/server.h"

void ow_traced_tick(struct ow_server *s, uint64_t now_ns)
{
	if (!ow_span_follow(s->dom, now_ns)) {
		s->ctx->away &= (uint8_t)~OW_CTX_TRACED;
		return;
	}
	s->ctx->away |= OW_CTX_TRACED;
	ow_store_relaxed(&ow_lcf_next_look, 0); /* what it sends, at once */
}

/* All of it but its end and how: it may lie in the ring. */
static inline void describe(const struct ow_server *s, const char *name,
			    struct ow_span *ret)
{
	const struct ow_msg *m = s->rq.msg;

	ow_traced_copy(ret, OW_SPAN_SERVE, m);
	ow_span_id_served(m->span_id, ret->id);
	memcpy(ret->parent, m->span_id, sizeof(ret->parent));
	ret->begin_ns = s->rq.since_ns;
	ret->tran = ow_msg_tran(m);
	memcpy(ret->name, name, sizeof(ret->name)); /* a reader ends it */
	memset(ret->queue, 0, sizeof(ret->queue));
}

static inline void describe_served(const struct ow_server *s,
				   struct ow_span *ret)
{
	describe(s, s->dom->tables->svc[s->rq.msg->svc].name, ret);
	if (ret->len == 0) /* the answer was made in the request's block */
		ret->len = s->rq.envelope.payload.len;
	ret->end_ns = s->rq.since_ns + s->rq.took_ns;
	ret->srvid = s->id;
	ret->tperr = s->rq.failed ? s->rq.tperr : 0;
}

__attribute__((noinline)) static void note(const struct ow_server *s)
{
	struct ow_span span;

	describe_served(s, &span);
	span.name[sizeof(span.name) - 1] = '\0';
	ow_span_note(&span);
}

void ow_traced_served(struct ow_server *s)
{
	struct ow_span_ring *r = ow_load_relaxed(&ow_span_direct);
	struct ow_span *span;

	/* A request that was continued has not ended; one that goes to another
	 * node is a span there. */
	if (!s->rq.counted || s->rq.took_ns == 0 || s->passes_on)
		return;
	if (!ow_span_is_chosen(s->rq.msg->trace_id, s->rq.msg->trace_flags)) {
		if (s->rq.failed || ow_span_is_slow(s->rq.took_ns))
			note(s);
		return;
	}
	if (r == NULL)
		return note(s);
	span = ow_span_ring_claim(r);
	if (span == NULL)
		return;
	describe_served(s, span);
	ow_span_ring_fill(span);
}

void ow_traced_continued(struct ow_server *s, uint32_t row)
{
	struct ow_span span;

	if (!ow_span_is_on() || s->host->passes_on)
		return;
	describe(s, s->offers[row].name, &span);
	span.name[sizeof(span.name) - 1] = '\0';
	span.end_ns = 0;
	span.srvid = s->host->id;
	span.tperr = s->rq.failed ? TPESVCFAIL : 0;
	ow_span_note(&span);
}
