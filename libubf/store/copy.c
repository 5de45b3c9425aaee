/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.c - copy a range of entries to the end of a buffer with room for them
 *
 * Chunks that lie side by side in the source are copied by one memcpy. The
 * directory written is flat.
 */
#include "libubf/store/copy.h"

#include "libubf/store/chunk.h"
#include "libubf/store/header.h"
#include "libubf/store/slots.h"

/* Words of one type in consecutive slots. */
struct words {
	const struct Ubfh *h;	/* heap types: plain if words are 8 bytes */
	struct ow_ubf_ent *e;
	unsigned int type;
	uint32_t width;
};

static inline struct words words_at(const struct Ubfh *h, unsigned int type,
				    uint32_t rank)
{
	return (struct words){ h, ow_ubf_ent_at(h, type, rank), type,
			       ow_ubf_width(h, type) };
}

static inline void skip(struct words *w, uint32_t n)
{
	w->e = ow_ubf_ent_step(w->e, w->width, n);
}

/* The words of the source and of the target, and whether they are plain. The
 * functions that get it are inlined: usually both widths are constants. */
struct pair {
	const struct ow_ubf_ent *from;
	struct ow_ubf_ent *to;
	int from_plain, to_plain;
};

#define INLINE static inline __attribute__((always_inline))

INLINE struct ow_ubf_chunk chunk(const struct pair *p, uint32_t i)
{
	return ow_ubf_chunk_read(ow_ubf_ent_step(p->from,
						 p->from_plain ? 8 : 4, i),
				 p->from_plain);
}

/* How many entries have their chunks side by side, in order, none empty or with
 * spare bytes. At least 1: the first one may be anything. */
INLINE uint32_t run_length(const struct pair *p, unsigned int type, uint32_t k)
{
	struct ow_ubf_chunk c = chunk(p, 0);
	uint32_t i = 0, next = c.off;

	while (c.off == next && c.len > 0 && !(next & OW_UBF_LOOSE)) {
		next += (uint32_t)ow_ubf_taken(type, c.len);
		if (++i == k)
			break;
		c = chunk(p, i);
	}
	return i > 0 ? i : 1;
}

/* Copy the values of a run of entries, of a heap, to the end of that of h. */
INLINE void copy_run(struct Ubfh *h, const char *heap, const struct pair *p,
		     unsigned int type, uint32_t k)
{
	struct ow_ubf_chunk c = chunk(p, 0), last = chunk(p, k - 1);
	uint32_t begin = c.off & OW_UBF_OFF_MASK, bytes, delta, i;

	bytes = (last.off & OW_UBF_OFF_MASK) - begin +
		(uint32_t)ow_ubf_taken(type, last.len);
	if (bytes == 0) {	/* empty values are at 0 */
		ow_ubf_chunk_store(p->to, (struct ow_ubf_chunk){ 0, 0 },
				   p->to_plain);
		return;
	}
	ow_ubf_align(h, type);
	memcpy((char *)h + h->used, heap + begin, bytes);
	delta = h->used - h->heap - begin;
	h->used += bytes;
	for (i = 0; i < k; i++) {
		c = chunk(p, i);
		c.off = (c.off & OW_UBF_OFF_MASK) + delta;
		ow_ubf_chunk_store(ow_ubf_ent_step(p->to, p->to_plain ? 8 : 4,
						   i), c, p->to_plain);
	}
}

INLINE void copy_runs(struct Ubfh *h, const char *heap, struct pair p,
		      unsigned int type, uint32_t k)
{
	uint32_t n;

	for (; k > 0; k -= n) {
		n = run_length(&p, type, k);
		copy_run(h, heap, &p, type, n);
		p.from = ow_ubf_ent_step(p.from, p.from_plain ? 8 : 4, n);
		p.to = ow_ubf_ent_step(p.to, p.to_plain ? 8 : 4, n);
	}
}

void ow_ubf_copy_fixed(struct ow_ubf_ent *to, uint32_t to_width,
		       const struct ow_ubf_ent *from, uint32_t from_width,
		       uint32_t k)
{
	uint64_t word = 0;
	uint32_t i, n = to_width < from_width ? to_width : from_width;

	if (to_width == from_width) {
		memcpy((void *)to, from, (size_t)k * to_width);
		return;
	}
	for (i = 0; i < k; i++) {
		memcpy(&word, ow_ubf_ent_step(from, from_width, i), n);
		memcpy((void *)ow_ubf_ent_step(to, to_width, i), &word,
		       to_width);
	}
}

/* Copy the words of k entries of one type, and their values. */
static void copy_words(struct Ubfh *h, struct words to, struct words from,
		       uint32_t k)
{
	struct pair p = { from.e, to.e, from.width == 8, to.width == 8 };

	if (ow_ubf_type_fixed(to.type))
		ow_ubf_copy_fixed(to.e, to.width, from.e, from.width, k);
	else if (p.from_plain && p.to_plain)
		copy_runs(h, ow_ubf_heap(from.h),
			  (struct pair){ from.e, to.e, 1, 1 }, to.type, k);
	else
		copy_runs(h, ow_ubf_heap(from.h), p, to.type, k);
}

static uint32_t clamp(uint32_t v, uint32_t lo, uint32_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

INLINE void add_run(const struct ow_ubf_ent *e, int plain, unsigned int type,
		    uint32_t n, struct ow_ubf_want *w)
{
	uint64_t sum = 0, longest = w->longest;
	struct ow_ubf_chunk c;
	uint32_t i;

	for (i = 0; i < n; i++) {
		c = ow_ubf_chunk_read(ow_ubf_ent_step(e, plain ? 8 : 4, i),
				      plain);
		sum += ow_ubf_taken(type, c.len);
		longest = c.len > longest ? c.len : longest;
	}
	w->bytes += sum;
	w->longest = longest;
}

/* Add the heap bytes of k entries of one heap type, beginning at a rank. */
static void add_needs(const struct Ubfh *h, unsigned int type, uint32_t from,
		      uint32_t k, struct ow_ubf_want *w)
{
	const struct ow_ubf_ent *e;
	uint32_t n, slot;

	for (; k > 0; k -= n, from += n) {
		n = ow_ubf_run(h, from, k, &slot);
		e = ow_ubf_ent_at(h, type, from);
		if (ow_ubf_plain(h))
			add_run(e, 1, type, n, w);
		else
			add_run(e, 0, type, n, w);
	}
}

void ow_ubf_range_want(const struct Ubfh *h, uint32_t from, uint32_t k,
		       struct ow_ubf_want *w)
{
	uint32_t t, lo, hi = from;

	for (t = 0; t <= BFLD_MAX; t++) {
		lo = hi;
		hi = clamp(ow_ubf_start(h, t + 1), from, from + k);
		if (ow_ubf_type_wide(t))
			w->wide += hi - lo;
		else
			w->narrow += hi - lo;
		if (hi > lo && !ow_ubf_type_fixed(t))
			add_needs(h, t, lo, hi - lo, w);
	}
}

uint64_t ow_ubf_range_bytes(const struct Ubfh *h, uint32_t from, uint32_t k)
{
	struct ow_ubf_want w = { 0 };

	ow_ubf_range_want(h, from, k, &w);
	return w.bytes;
}

/* Open slots for k entries of one type at the end and copy their ids; returns
 * the rank of the first. */
static uint32_t append_ids(struct Ubfh *h, const struct Ubfh *src,
			   unsigned int type, uint32_t from, uint32_t k)
{
	uint32_t rank = ow_ubf_count(h), n, at, *ids;

	(void)ow_ubf_open(h, rank, type, k, &ids);
	for (; k > 0; k -= n, from += n, ids += n) {
		n = ow_ubf_run(src, from, k, &at);
		memcpy(ids, ow_ubf_ids(src) + at, n * sizeof(*ids));
	}
	return rank;
}

static void append_words(struct Ubfh *h, uint32_t rank, const struct Ubfh *src,
			 unsigned int type, uint32_t from, uint32_t k)
{
	struct words to = words_at(h, type, rank);
	uint32_t n, at;

	for (; k > 0; k -= n, from += n) {
		n = ow_ubf_run(src, from, k, &at);
		copy_words(h, to, words_at(src, type, from), n);
		skip(&to, n);
	}
}

void ow_ubf_append_field(struct Ubfh *h, const struct Ubfh *src, uint32_t from,
			 uint32_t k)
{
	unsigned int type = ow_ubf_id_type(ow_ubf_id_at(src, from));

	append_words(h, append_ids(h, src, type, from, k), src, type, from, k);
}

/* Strings are copied last: then no other value needs padding before it. */
void ow_ubf_append_reserved(struct Ubfh *h, const struct Ubfh *src,
			    uint32_t from, uint32_t k)
{
	uint32_t t, lo = from, hi, rank, strings = 0, s_lo = 0, s_k = 0;

	for (t = 0; t <= BFLD_MAX; t++, lo = hi) {
		hi = clamp(ow_ubf_start(src, t + 1), from, from + k);
		if (hi == lo)
			continue;
		rank = append_ids(h, src, t, lo, hi - lo);
		if (t == BFLD_STRING) {
			strings = rank;
			s_lo = lo;
			s_k = hi - lo;
		} else {
			append_words(h, rank, src, t, lo, hi - lo);
		}
	}
	if (s_k > 0)
		append_words(h, strings, src, BFLD_STRING, s_lo, s_k);
}
