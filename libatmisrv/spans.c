/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - the spans of services
 */
#include "libatmisrv/spans.h"

#include <string.h>
#include <xatmi.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/lcf/follow/follow.h"
#include "libatmi/span/note.h"
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

static void describe(const struct ow_server *s, struct ow_span *ret)
{
	const struct ow_msg *m = s->rq.msg;

	memset(ret, 0, sizeof(*ret));
	ret->kind = OW_SPAN_SERVE;
	memcpy(ret->trace_id, m->trace_id, sizeof(ret->trace_id));
	ow_span_id_served(m->span_id, ret->id);
	memcpy(ret->parent, m->span_id, sizeof(ret->parent));
	ret->flags = m->trace_flags;
	ret->sent_ns = m->sent_ns;
	ret->begin_ns = s->rq.since_ns;
	ret->tran = ow_msg_tran(m);
	ret->len = m->len;
	ret->prio = m->prio;
}

void ow_traced_served(struct ow_server *s)
{
	struct ow_span span;

	/* A request that was continued has not ended; one that goes to another
	 * node is a span there. */
	if (!s->rq.counted || s->rq.took_ns == 0 || s->passes_on)
		return;
	if (!s->rq.failed && !ow_span_is_slow(s->rq.took_ns) &&
	    !ow_span_is_chosen(s->rq.msg->trace_id, s->rq.msg->trace_flags))
		return;
	describe(s, &span);
	if (span.len == 0) /* the answer was made in the request's block */
		span.len = s->rq.envelope.payload.len;
	span.end_ns = s->rq.since_ns + s->rq.took_ns;
	span.srvid = s->id;
	span.tperr = s->rq.failed ? s->rq.tperr : 0;
	memcpy(span.name, s->dom->tables->svc[s->rq.msg->svc].name,
	       sizeof(span.name));
	span.name[sizeof(span.name) - 1] = '\0';
	ow_span_note(&span);
}

void ow_traced_continued(struct ow_server *s, uint32_t row)
{
	struct ow_span span;

	if (!ow_span_is_on() || s->host->passes_on)
		return;
	describe(s, &span);
	span.srvid = s->host->id;
	span.tperr = s->rq.failed ? TPESVCFAIL : 0;
	memcpy(span.name, s->offers[row].name, sizeof(span.name));
	span.name[sizeof(span.name) - 1] = '\0';
	ow_span_note(&span);
}
