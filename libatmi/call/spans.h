/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - the spans of what a context sends
 *
 * Only while spans are noted (span/note.h). Where a call is under way, its span
 * is with its descriptor (calls.h), and is noted when that is given back.
 */
#ifndef OW_TRACED_H
#define OW_TRACED_H

#include <stddef.h>
#include <string.h>

#include "libatmi/span/note.h"
#include "libatmi/wire/msg.h"
#include "libatmi/wire/trace.h"

struct ow_call;
struct ow_ctx;
struct ow_request;

#define OW_TRACED_SAME(span, msg)                                \
	_Static_assert(offsetof(struct ow_span, span) ==         \
			       offsetof(struct ow_msg, msg) -    \
				       offsetof(struct ow_msg, sent_ns), \
		       "it is copied with others")
OW_TRACED_SAME(len, len);
OW_TRACED_SAME(tran, tran);
OW_TRACED_SAME(trace_id, trace_id);
OW_TRACED_SAME(id, span_id);
OW_TRACED_SAME(flags, trace_flags);
OW_TRACED_SAME(prio, prio);

/* A span of this kind, with what is in the head of the request; its end is not set,
 * and nothing behind these 64 bytes. */
static inline void ow_traced_copy(struct ow_span *s, enum ow_span_kind kind,
				  const struct ow_msg *m)
{
	memcpy((char *)s, (const char *)m + offsetof(struct ow_msg, sent_ns),
	       offsetof(struct ow_span, begin_ns));
	s->kind = (uint8_t)kind;
	s->method = 0;
	s->status = 0;
	memset(s->unused, 0, sizeof(s->unused));
}

/* The request was queued as message `m`; it is `call`, NULL: none of this context. */
void ow_traced_sent(struct ow_ctx *c, const struct ow_request *rq,
		    const struct ow_msg *m, struct ow_call *call);
/* It was not: tperrno says why. It stays. */
void ow_traced_unsent(struct ow_ctx *c, const struct ow_request *rq);
/* The conversation that request `m` begins; NULL: no memory. To be freed. */
struct ow_span *ow_traced_conversation(struct ow_ctx *c, const char *svc,
				       const struct ow_msg *m);

/* ---- a function that makes calls of its own ---- */

struct ow_traced_scope {
	struct ow_span span; /* kind NONE: spans are not noted */
	struct ow_trace was;
};

/* From here on calls of the context are part of a span of this kind. */
void ow_traced_begin(struct ow_ctx *c, struct ow_traced_scope *s,
		     enum ow_span_kind kind, const char *name);
static inline void ow_traced_enter(struct ow_ctx *c, struct ow_traced_scope *s,
				   enum ow_span_kind kind, const char *name)
{
	s->span.kind = OW_SPAN_NONE;
	if (ow_span_is_on())
		ow_traced_begin(c, s, kind, name);
}

/* It has ended, with this error or 0. */
void ow_traced_end(struct ow_ctx *c, struct ow_traced_scope *s, int tperr);
static inline void ow_traced_leave(struct ow_ctx *c, struct ow_traced_scope *s,
				   int tperr)
{
	if (s->span.kind != OW_SPAN_NONE)
		ow_traced_end(c, s, tperr);
}

#endif
