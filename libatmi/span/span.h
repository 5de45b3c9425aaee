/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span.h - a finished piece of work, as a trace shows it
 *
 * The id of a request (wire/trace.h) is that of its caller's span. What serves
 * the request, and the time it lay in the queue, have ids that follow from it:
 * so a request carries one id, and nothing is made up on its way.
 * doc/design/spans.md.
 */
#ifndef OW_SPAN_H
#define OW_SPAN_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define OW_SPAN_NAME 32u

enum ow_span_kind {
	OW_SPAN_NONE = 0,
	OW_SPAN_CALL,	  /* a request, until its reply was taken */
	OW_SPAN_SEND,	  /* one without a reply, until it was queued */
	OW_SPAN_FORWARD,  /* tpforward(): the same */
	OW_SPAN_SERVE,	  /* a service; what it waited in its queue, too */
	OW_SPAN_CONVERSE, /* tpconnect(), until the conversation ended */
	OW_SPAN_HOP,	  /* a request of another node, in the bridge here */
	OW_SPAN_ENQUEUE,
	OW_SPAN_DEQUEUE,
	OW_SPAN_COMMIT,	  /* tpcommit(), or the end of AUTOTRAN */
	OW_SPAN_ABORT,
	OW_SPAN_HTTP_SERVER, /* of a program that speaks HTTP (tpnotespan()) */
	OW_SPAN_HTTP_CLIENT,
	OW_SPAN_KINDS
};

static inline bool ow_span_is_http(uint8_t kind)
{
	return kind == OW_SPAN_HTTP_SERVER || kind == OW_SPAN_HTTP_CLIENT;
}

#define OW_SPAN_SAMPLED 1u /* in `flags`, W3C: its caller may have noted it */

/* `tperr` of a call whose reply nobody will take. */
#define OW_SPAN_DROPPED (-1)

struct ow_span {
	/* The first 64 bytes are copied at once from the head of a request, where
	 * most of them lie in this order (call/spans.h). */
	uint64_t sent_ns; /* SERVE: when it was queued; 0: unknown */
	uint64_t len;	  /* payload bytes */
	uint64_t end_ns;  /* monotonic, as the others */
	uint64_t tran;	  /* number of its transaction, 0: none */
	uint8_t trace_id[16], id[8];
	uint8_t flags;	  /* of the trace: W3C */
	uint8_t prio;
	uint8_t kind;	  /* enum ow_span_kind */
	uint8_t method;	  /* HTTP: a number (method.h) */
	uint16_t status;  /* HTTP: 0: there was no answer */
	uint8_t unused[2];
	uint64_t begin_ns;
	uint8_t parent[8]; /* zeros: none */
	uint32_t srvid;	  /* server in which it was; 0: a client */
	int32_t tperr;	  /* tperrno, 0: success; DROPPED */
	union {
		struct {
			char name[OW_SPAN_NAME]; /* service, queue space */
			char queue[16];		 /* ENQUEUE, DEQUEUE */
		};
		char route[OW_SPAN_NAME + 16]; /* HTTP: the route, or host */
	};
};

/* The id of the span that serves request `id`, of that which waits for it. */
static inline void ow_span_id_served(const uint8_t id[8], uint8_t ret[8])
{
	memcpy(ret, id, 8);
	ret[7] ^= 1;
}

static inline void ow_span_id_waited(const uint8_t id[8], uint8_t ret[8])
{
	memcpy(ret, id, 8);
	ret[7] ^= 2;
}

/* Did it fail? As OpenTelemetry says it of HTTP: a server has not where its caller
 * made a mistake. */
static inline bool ow_span_is_failed(const struct ow_span *s)
{
	if (!ow_span_is_http(s->kind))
		return s->tperr != 0;
	return s->status == 0 ||
	       s->status >= (s->kind == OW_SPAN_HTTP_SERVER ? 500 : 400);
}

/* Is its whole trace wanted for it? Whose reply is not wanted has not failed. */
static inline bool ow_span_is_notable(const struct ow_span *s, uint64_t slow_ns)
{
	return (s->tperr != OW_SPAN_DROPPED && ow_span_is_failed(s)) ||
	       (slow_ns != 0 && s->end_ns > s->begin_ns &&
		s->end_ns - s->begin_ns >= slow_ns);
}

/* Of one trace in n: the greatest of the numbers that are chosen. */
static inline uint64_t ow_span_bound(uint32_t n)
{
	return n <= 1 ? UINT64_MAX : UINT64_MAX / n;
}

/* Is its trace below the bound? All nodes say so of the same traces, and
 * OpenTelemetry's SDKs by the same ratio (TraceIdRatioBased): the second half of the
 * id is random. */
static inline bool ow_span_is_within(const uint8_t trace_id[16], uint64_t bound)
{
	uint64_t number;

	memcpy(&number, trace_id + 8, sizeof(number));
	return be64toh(number) <= bound;
}

static inline bool ow_span_is_one_in(const uint8_t trace_id[16], uint32_t n)
{
	return ow_span_is_within(trace_id, ow_span_bound(n));
}

#endif
