/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - a span as a line of the log
 */
#include "libatmi/span/line.h"

#include <stdio.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/span/span.h"

static const char *word_of(uint8_t kind)
{
	static const char *const words[OW_SPAN_KINDS] = {
		[OW_SPAN_CALL] = "call",
		[OW_SPAN_SEND] = "send",
		[OW_SPAN_FORWARD] = "forward",
		[OW_SPAN_SERVE] = "serve",
		[OW_SPAN_CONVERSE] = "converse",
		[OW_SPAN_HOP] = "hop",
		[OW_SPAN_ENQUEUE] = "enqueue",
		[OW_SPAN_DEQUEUE] = "dequeue",
		[OW_SPAN_COMMIT] = "commit",
		[OW_SPAN_ABORT] = "abort",
		[OW_SPAN_HTTP_SERVER] = "http in",
		[OW_SPAN_HTTP_CLIENT] = "http out",
	};

	return kind < OW_SPAN_KINDS && words[kind] != NULL ? words[kind] : "?";
}

static const char *result_of(const struct ow_span *s)
{
	if (s->tperr == OW_SPAN_DROPPED)
		return "dropped";
	return s->tperr == 0 ? "ok" : tpecodestr(s->tperr);
}

static void write_id(const uint8_t *id, size_t n, char *to)
{
	size_t i;

	for (i = 0; i < n; i++)
		snprintf(to + 2 * i, 3, "%02x", id[i]);
}

static double ms(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? (double)(to_ns - from_ns) / OW_NS_PER_MS : 0;
}

char *ow_span_line(const struct ow_span *s, char buf[OW_SPAN_LINE])
{
	bool http = ow_span_is_http(s->kind);
	char id[17], trace[33], more[96] = "";

	write_id(s->id, sizeof(s->id), id);
	write_id(s->trace_id, sizeof(s->trace_id), trace);
	if (s->kind == OW_SPAN_SERVE && s->sent_ns != 0)
		snprintf(more, sizeof(more), " after %.3f ms in its queue",
			 ms(s->sent_ns, s->begin_ns));
	else if (!http && s->queue[0] != '\0')
		snprintf(more, sizeof(more), " queue %.16s", s->queue);
	snprintf(buf, OW_SPAN_LINE,
		 "%s %.*s %llu bytes %s %.3f ms%s id=%s trace=%s",
		 word_of(s->kind),
		 (int)(http ? sizeof(s->route) : sizeof(s->name)),
		 http ? s->route : s->name[0] != '\0' ? s->name : "-",
		 (unsigned long long)s->len, result_of(s),
		 ms(s->begin_ns, s->end_ns), more, id, trace);
	return buf;
}
