/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tptrace.c - the trace of a context, for programs that bring requests of others
 * into the domain, or take them out: tpgettrace(), tpsettrace(), tpnotespan()
 *
 * What a context keeps is the id of a request in hand; the span that serves it
 * follows from that (span/span.h). A program sees the span only.
 */
#include <string.h>
#include <tpbind.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/span/method.h"
#include "libatmi/span/note.h"

static const unsigned char none[16];

int tpgettrace(struct tptrace *trace)
{
	OW_SHARED;
	struct ow_ctx *c;

	ow_tp_clear();
	if (trace == NULL)
		return ow_tp_fail(TPEINVAL, "there is no room for a trace");
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	memset(trace, 0, sizeof(*trace));
	if (memcmp(c->trace.trace_id, none, 16) == 0)
		return 0;
	memcpy(trace->trace_id, c->trace.trace_id, 16);
	trace->flags = c->trace.flags;
	if (ow_span_is_on() &&
	    ow_span_is_chosen(trace->trace_id, trace->flags))
		trace->flags |= OW_SPAN_SAMPLED;
	if (c->srvid != 0)
		ow_span_id_served(c->trace.span_id, trace->span_id);
	else
		memcpy(trace->span_id, c->trace.span_id, 8);
	return 1;
}

int tpsettrace(const struct tptrace *trace)
{
	OW_SHARED;
	struct ow_ctx *c;

	ow_tp_clear();
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	if (c == ow_ctx_home())
		return ow_tp_fail(TPEPROTO, "the context that serves has the "
				  "trace of its request");
	ow_trace_leave(&c->trace);
	if (trace == NULL || memcmp(trace->trace_id, none, 16) == 0)
		return 0;
	memcpy(c->trace.trace_id, trace->trace_id, 16);
	c->trace.flags = trace->flags;
	/* So that it is what becomes the parent (call/spans.c). */
	if (c->srvid != 0 && memcmp(trace->span_id, none, 8) != 0)
		ow_span_id_served(trace->span_id, c->trace.span_id);
	else
		memcpy(c->trace.span_id, trace->span_id, 8);
	return 0;
}

static enum ow_span_kind kind_of(const struct tpspan *s)
{
	static const enum ow_span_kind kinds[] = {
		[TPSPAN_HTTP_SERVER] = OW_SPAN_HTTP_SERVER,
		[TPSPAN_HTTP_CLIENT] = OW_SPAN_HTTP_CLIENT,
	};
	size_t n = sizeof(kinds) / sizeof(kinds[0]);

	return s->kind > 0 && (size_t)s->kind < n ? kinds[s->kind]
						  : OW_SPAN_NONE;
}

int tpnotespan(const struct tpspan *span)
{
	OW_SHARED;
	struct ow_span s = { 0 };

	ow_tp_clear();
	if (span == NULL || kind_of(span) == OW_SPAN_NONE ||
	    span->method == NULL || span->name == NULL || span->usec < 0 ||
	    span->status < 0 || span->status > UINT16_MAX ||
	    memcmp(span->trace.trace_id, none, 16) == 0 ||
	    memcmp(span->trace.span_id, none, 8) == 0)
		return ow_tp_fail(TPEINVAL, "it is no span of a kind that is "
				  "known, with ids, names and times");
	if (!ow_span_is_on())
		return 0;
	s.kind = (uint8_t)kind_of(span);
	memcpy(s.trace_id, span->trace.trace_id, sizeof(s.trace_id));
	memcpy(s.id, span->trace.span_id, sizeof(s.id));
	memcpy(s.parent, span->parent, sizeof(s.parent));
	s.flags = span->trace.flags;
	s.status = (uint16_t)span->status;
	s.method = ow_span_method_find(span->method);
	memcpy(s.route, span->name, strnlen(span->name, sizeof(s.route) - 1));
	s.end_ns = ow_clock_mono_ns();
	s.begin_ns = s.end_ns - (uint64_t)span->usec * OW_NS_PER_US;
	ow_span_note(&s);
	return 0;
}
