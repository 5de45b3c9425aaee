/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.c - spans as OTLP wants them: an ExportTraceServiceRequest in JSON
 */
#include "clients/ndrxotel/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "clients/ndrxotel/attribute.h"
#include "clients/ndrxotel/json.h"
#include "libatmi/base/clock.h"
#include "libatmi/span/method.h"

enum { INTERNAL = 1, SERVER, CLIENT, PRODUCER, CONSUMER };

/* How a kind of span is shown. `op` is the value of onewake.operation, and the
 * name of a span that has no service. */
static const struct {
	int kind, messaging; /* as OTLP has it; with those conventions */
	bool rpc;
	const char *op;
} shown[OW_SPAN_KINDS] = {
	[OW_SPAN_CALL] = { CLIENT, CLIENT, true, "call" },
	[OW_SPAN_SEND] = { CLIENT, CLIENT, true, "send" },
	[OW_SPAN_FORWARD] = { CLIENT, CLIENT, true, "forward" },
	[OW_SPAN_SERVE] = { SERVER, SERVER, true, "serve" },
	[OW_SPAN_CONVERSE] = { CLIENT, CLIENT, true, "conversation" },
	[OW_SPAN_HOP] = { CLIENT, CLIENT, true, "hop" },
	[OW_SPAN_ENQUEUE] = { INTERNAL, PRODUCER, false, "tpenqueue" },
	[OW_SPAN_DEQUEUE] = { INTERNAL, CONSUMER, false, "tpdequeue" },
	[OW_SPAN_COMMIT] = { INTERNAL, INTERNAL, false, "commit" },
	[OW_SPAN_ABORT] = { INTERNAL, INTERNAL, false, "abort" },
	[OW_SPAN_HTTP_SERVER] = { SERVER, SERVER, false, "http" },
	[OW_SPAN_HTTP_CLIENT] = { CLIENT, CLIENT, false, "http" },
};

/* ---- attributes ---- */

static const char *error_of(const struct ow_span *s)
{
	return s->tperr == OW_SPAN_DROPPED ? "cancelled"
					   : tpecodestr(s->tperr);
}

static void rpc_attrs(struct ow_otel_json *j, const struct ow_span *s)
{
	ow_otel_attr_text(j, "rpc.system.name", "onewake");
	ow_otel_attr_text(j, "rpc.method", s->name);
	if (s->tperr >= 0)
		ow_otel_attr_text(j, "rpc.response.status_code",
			  s->tperr == 0 ? "OK" : error_of(s));
}

static const char *why_failed(const struct ow_span *s, char buf[16])
{
	if (!ow_span_is_http(s->kind))
		return error_of(s);
	snprintf(buf, 16, "%u", s->status);
	return s->status == 0 ? "no answer" : buf;
}

static void http_attrs(struct ow_otel_json *j, const struct ow_span *s)
{
	ow_otel_attr_text(j, "http.request.method", ow_span_method_name(s->method));
	if (s->route[0] != '\0')
		ow_otel_attr_text(j, s->kind == OW_SPAN_HTTP_SERVER ? "http.route"
							    : "server.address",
			  s->route);
	if (s->status != 0)
		ow_otel_attr_number(j, "http.response.status_code", s->status);
}

static void queue_attrs(struct ow_otel_json *j, const struct ow_otel_about *a,
			const struct ow_span *s)
{
	if (!a->messaging) {
		ow_otel_attr_text(j, "onewake.queue", s->queue);
		return;
	}
	ow_otel_attr_text(j, "messaging.system", "onewake");
	ow_otel_attr_text(j, "messaging.destination.name", s->queue);
	ow_otel_attr_text(j, "messaging.operation.name", shown[s->kind].op);
	ow_otel_attr_text(j, "messaging.operation.type",
		  s->kind == OW_SPAN_ENQUEUE ? "send" : "receive");
}

static void attributes(struct ow_otel_json *j, const struct ow_otel_about *a,
		       const struct ow_span *s)
{
	char tran[20], why[16];

	ow_otel_json_open(j, "attributes", '[');
	ow_otel_attr_text(j, "onewake.operation", shown[s->kind].op);
	if (shown[s->kind].rpc)
		rpc_attrs(j, s);
	if (ow_span_is_http(s->kind))
		http_attrs(j, s);
	else if (s->queue[0] != '\0')
		queue_attrs(j, a, s);
	if (ow_span_is_failed(s))
		ow_otel_attr_text(j, "error.type", why_failed(s, why));
	if (s->tran != 0) {
		snprintf(tran, sizeof(tran), "%016llx",
			 (unsigned long long)s->tran);
		ow_otel_attr_text(j, "onewake.transaction.id", tran);
	}
	if (s->srvid != 0)
		ow_otel_attr_number(j, "onewake.server.id", s->srvid);
	if (s->len != 0)
		ow_otel_attr_number(j, "onewake.request.size", s->len);
	if (s->prio != 0)
		ow_otel_attr_number(j, "onewake.priority", s->prio);
	ow_otel_json_close(j, ']');
}

/* ---- spans ---- */

static void times(struct ow_otel_json *j, const struct ow_otel_about *a,
		  uint64_t begin_ns, uint64_t end_ns)
{
	if (end_ns < begin_ns)
		end_ns = begin_ns;
	ow_otel_json_u64(j, "startTimeUnixNano", begin_ns + a->real_ns);
	ow_otel_json_u64(j, "endTimeUnixNano", end_ns + a->real_ns);
}

/* `buf` is for those that are made up. */
static const char *name_of(const struct ow_span *s, char *buf, size_t size)
{
	if (shown[s->kind].rpc)
		return s->name;
	if (ow_span_is_http(s->kind))
		snprintf(buf, size, "%s%s%s", ow_span_method_name(s->method),
			 s->kind == OW_SPAN_HTTP_SERVER ? " " : "",
			 s->kind == OW_SPAN_HTTP_SERVER ? s->route : "");
	else if (s->queue[0] != '\0')
		snprintf(buf, size, "%s %s", shown[s->kind].op, s->queue);
	else
		return shown[s->kind].op;
	return buf;
}

static void status(struct ow_otel_json *j, const struct ow_span *s)
{
	char why[16];

	if (!ow_span_is_failed(s))
		return;
	ow_otel_json_open(j, "status", '{');
	ow_otel_json_number(j, "code", 2);
	ow_otel_json_text(j, "message", why_failed(s, why));
	ow_otel_json_close(j, '}');
}

static void one_span(struct ow_otel_json *j, const struct ow_otel_about *a,
		     const struct ow_span *s)
{
	static const uint8_t none[8];
	char name[64];

	ow_otel_json_open(j, NULL, '{');
	ow_otel_json_hex(j, "traceId", s->trace_id, 16);
	ow_otel_json_hex(j, "spanId", s->id, 8);
	if (memcmp(s->parent, none, sizeof(none)) != 0)
		ow_otel_json_hex(j, "parentSpanId", s->parent, 8);
	ow_otel_json_text(j, "name", name_of(s, name, sizeof(name)));
	ow_otel_json_number(j, "kind", a->messaging ? shown[s->kind].messaging
						    : shown[s->kind].kind);
	ow_otel_json_number(j, "flags", s->flags);
	times(j, a, s->begin_ns, s->end_ns);
	attributes(j, a, s);
	status(j, s);
	ow_otel_json_close(j, '}');
}

/* The time that the request lay in its queue. */
static void wait_span(struct ow_otel_json *j, const struct ow_otel_about *a,
		      const struct ow_span *s)
{
	uint8_t id[8];
	char name[64] = "queue ";

	ow_span_id_waited(s->parent, id);
	strcpy(name + strlen("queue "), s->name);
	ow_otel_json_open(j, NULL, '{');
	ow_otel_json_hex(j, "traceId", s->trace_id, 16);
	ow_otel_json_hex(j, "spanId", id, 8);
	ow_otel_json_hex(j, "parentSpanId", s->parent, 8);
	ow_otel_json_text(j, "name", name);
	ow_otel_json_number(j, "kind", INTERNAL);
	ow_otel_json_number(j, "flags", s->flags);
	times(j, a, s->sent_ns, s->begin_ns);
	ow_otel_json_open(j, "attributes", '[');
	ow_otel_attr_text(j, "onewake.operation", "wait");
	ow_otel_json_close(j, ']');
	ow_otel_json_close(j, '}');
}

/* ---- by process ---- */

static int by_process(const void *pa, const void *pb)
{
	const struct ow_otel_span *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->s.end_ns < b->s.end_ns ? -1 : a->s.end_ns > b->s.end_ns;
}

static void of_process(struct ow_otel_json *j, const struct ow_otel_about *a,
		       const struct ow_otel_span *s, size_t n)
{
	size_t i;

	ow_otel_json_open(j, NULL, '{');
	ow_otel_resource(j, a, s->program, s->pid);
	ow_otel_json_open(j, "scopeSpans", '[');
	ow_otel_json_open(j, NULL, '{');
	ow_otel_scope(j);
	ow_otel_json_open(j, "spans", '[');
	for (i = 0; i < n; i++) {
		if (s[i].s.kind == OW_SPAN_SERVE && s[i].s.sent_ns != 0)
			wait_span(j, a, &s[i].s);
		one_span(j, a, &s[i].s);
	}
	ow_otel_json_close(j, ']');
	ow_otel_json_close(j, '}');
	ow_otel_json_close(j, ']');
	ow_otel_json_close(j, '}');
}

void ow_otel_otlp_write(struct ow_otel_json *j, const struct ow_otel_about *a,
			struct ow_otel_span *spans, size_t n)
{
	size_t i, end;

	qsort(spans, n, sizeof(*spans), by_process);
	ow_otel_json_open(j, NULL, '{');
	ow_otel_json_open(j, "resourceSpans", '[');
	for (i = 0; i < n; i = end) {
		end = i + 1;
		while (end < n && spans[end].pid == spans[i].pid)
			end++;
		of_process(j, a, &spans[i], end - i);
	}
	ow_otel_json_close(j, ']');
	ow_otel_json_close(j, '}');
}
