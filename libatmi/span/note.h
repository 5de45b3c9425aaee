/* SPDX-License-Identifier: Apache-2.0 */
/*
 * note.h - this process notes its finished spans, while somebody reads them
 *
 * Readers are ndrxotel, by the ring, and whoever has said trace=y, in the log.
 *
 * The reader of rings says which it wants: all, or of one trace in n all and of
 * others what failed or was slow. A log has all.
 *
 * Whether it does is looked up once a second, with the look for changed logs
 * (lcf/follow). While it does not, calls pass none of this: doc/design/spans.md
 * says by which words they are led here.
 */
#ifndef OW_SPAN_NOTE_H
#define OW_SPAN_NOTE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/atomics.h"
#include "libatmi/span/span.h"

struct ow_domain;
struct ow_span_ring;

/* In `spans_one_in` of the tables, beside n: and all traces that their callers have
 * sampled. */
#define OW_SPANS_SAMPLED UINT32_C(0x80000000)

/* Not 0: it does. For paths that are slow anyway. */
extern _Atomic uint32_t ow_span_noting;
static inline bool ow_span_is_on(void)
{
	return ow_load_relaxed(&ow_span_noting) != 0;
}

/* Of a piece of work with this trace, before anything of it is described: is it
 * noted however it ends? Others are if they fail, or are slow. */
extern _Atomic uint64_t ow_span_most;
extern _Atomic uint32_t ow_span_sampled; /* or if it has one of these W3C flags */
static inline bool ow_span_is_chosen(const uint8_t trace_id[16], uint8_t flags)
{
	return ow_span_is_within(trace_id, ow_load_relaxed(&ow_span_most)) ||
	       (flags & ow_load_relaxed(&ow_span_sampled)) != 0;
}

/* Of others: is one that has not failed noted for its time? 0: none is. */
extern _Atomic uint64_t ow_span_slow_ns;
static inline bool ow_span_is_slow(uint64_t took_ns)
{
	uint64_t slow_ns = ow_load_relaxed(&ow_span_slow_ns);

	return slow_ns != 0 && took_ns >= slow_ns;
}

/* The ring, while its reader is all who notes spans; else NULL. A span that is chosen
 * may then be written where it is read (span/ring.h), without ow_span_note(). */
extern struct ow_span_ring *_Atomic ow_span_direct;

/* Does the domain want spans at `now_ns`? */
bool ow_span_is_wanted(const struct ow_domain *d, uint64_t now_ns);
/* Once a second, any thread: begin or cease. Is it on now? */
bool ow_span_follow(const struct ow_domain *d, uint64_t now_ns);

/* It has ended now, unless `end_ns` is set. No effect if it is off. */
void ow_span_note(struct ow_span *s);

/* A span that has begun, without ids. */
void ow_span_begin(struct ow_span *s, enum ow_span_kind kind, const char *name,
		   uint64_t begin_ns);

#endif
