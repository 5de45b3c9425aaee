/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bulk.c - append, filter, copy ranges of entries, each in one linear pass
 *
 * Chunks that lie side by side in the source are copied by one memcpy. The
 * directory written is flat.
 */
#include "libubf/store/bulk.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/store/chunk.h"
#include "libubf/store/header.h"
#include "libubf/store/slots.h"
#include "libubf/store/store.h"

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
		next += (uint32_t)ow_ubf_room(type, c.len);
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
		(uint32_t)ow_ubf_room(type, last.len);
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
		sum += ow_ubf_room(type, c.len);
		longest = c.len > longest ? c.len : longest;
	}
	w->bytes += sum;
	w->longest = longest;
}

/* Add the heap bytes of k entries of one heap type, beginning at a rank. */
static void add_rooms(const struct Ubfh *h, unsigned int type, uint32_t from,
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
			add_rooms(h, t, lo, hi - lo, w);
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

int ow_ubf_append(struct Ubfh *h, const struct Ubfh *src, uint32_t from,
		  uint32_t k)
{
	struct ow_ubf_want w = { .bytes = OW_UBF_HEAP_UNIT };	/* to align */
	int r;

	ow_ubf_range_want(src, from, k, &w);
	r = ow_ubf_reserve(h, ow_ubf_count(h), &w);
	if (r == 0)
		r = ow_ubf_flatten(h);
	if (r == 0)
		ow_ubf_append_reserved(h, src, from, k);
	return r;
}

static int compare_ids(const void *a, const void *b)
{
	BFLDID x = *(const BFLDID *)a, y = *(const BFLDID *)b;

	return (x > y) - (x < y);
}

int ow_ubf_list(const BFLDID *list, BFLDID **ret_ids, uint32_t *ret_n)
{
	uint32_t n = 0, i;
	int sorted = 1;
	BFLDID *ids;

	while (list != NULL && list[n] != BBADFLDID) {
		if (!ow_ubf_id_ok(list[n]))
			return -EINVAL;
		n++;
	}
	ids = malloc((n + 1) * sizeof(*ids));
	if (ids == NULL)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		ids[i] = list[i];
		sorted &= i == 0 || ids[i - 1] <= ids[i];
	}
	if (!sorted)
		qsort(ids, n, sizeof(*ids), compare_ids);
	*ret_ids = ids;
	*ret_n = n;
	return 0;
}

/* A walk over the entries of a flat directory, in order. */
struct walk {
	struct Ubfh *h;
	uint32_t *ids;
	char *word[OW_UBF_ROWS];	/* the next one of each row */
	uint32_t i, count;
};

static struct walk walk_of(struct Ubfh *h)
{
	struct walk w = { .h = h, .count = ow_ubf_count(h) };
	unsigned int r;

	for (r = 0; r < OW_UBF_ROWS; r++)
		w.word[r] = ow_ubf_row(h, r) + (size_t)ow_ubf_row_width(r) *
						       ow_ubf_span(h, r).first;
	w.ids = (uint32_t *)w.word[OW_UBF_IDS];
	return w;
}

/* Step over the entry at the front of the walk; returns its word. */
static inline char *pass(struct walk *w, unsigned int type)
{
	unsigned int row = ow_ubf_row_of(w->h, type);
	char *word = w->word[row];

	w->word[row] += ow_ubf_row_width(row);
	w->i++;
	return word;
}

/* Close the gaps of removed entries, whose ids are 0, but whose types are still
 * in start[]. */
static void close_gaps(struct Ubfh *h)
{
	struct walk from = walk_of(h), to = from;
	uint32_t start[OW_UBF_STARTS], t, end;
	char *word, *target;

	ow_ubf_get_starts(h, start);
	for (t = 0; t <= BFLD_MAX; t++) {
		for (end = start[t + 1]; from.i < end;) {
			uint32_t id = from.ids[from.i];

			word = pass(&from, t);
			if (id == 0)
				continue;
			to.ids[to.i] = id;
			target = pass(&to, t);
			if (target != word)
				memcpy(target, word, ow_ubf_width(h, t));
		}
		start[t + 1] = to.i;
	}
	ow_ubf_set_starts(h, start);
	ow_ubf_clear_spare(h);
	ow_ubf_tidy(h);
}

/* Remove the entry at the front of a walk: free its chunk, set its id to 0. */
static void remove_entry(struct walk *w, unsigned int type)
{
	uint32_t *id = w->ids + w->i;
	struct ow_ubf_ent *e = (struct ow_ubf_ent *)pass(w, type);

	if (!ow_ubf_type_fixed(type))
		ow_ubf_chunk_free(w->h, type, ow_ubf_chunk_of(w->h, e));
	*id = 0;
}

int ow_ubf_filter(struct Ubfh *h, const BFLDID *ids, uint32_t n, int keep)
{
	int r = ow_ubf_flatten(h), listed;
	uint32_t at = 0, id;
	struct walk w;

	if (r < 0)
		return r;
	for (w = walk_of(h); w.i < w.count;) {
		id = w.ids[w.i];
		while (at < n && (uint32_t)ids[at] < id)
			at++;
		listed = at < n && (uint32_t)ids[at] == id;
		if (listed != keep)
			remove_entry(&w, ow_ubf_id_type((BFLDID)id));
		else
			(void)pass(&w, ow_ubf_id_type((BFLDID)id));
	}
	close_gaps(h);
	return 0;
}

/* src is flat. */
static void drop(struct Ubfh *dst, const struct Ubfh *src)
{
	const uint32_t *s = ow_ubf_ids(src) + ow_ubf_first(src);
	uint32_t ns = ow_ubf_count(src), at = 0, id;
	struct walk w = walk_of(dst);

	while (w.i < w.count) {
		id = w.ids[w.i];
		while (at < ns && s[at] < id)
			at++;
		while (w.i < w.count && w.ids[w.i] == id) {
			if (at < ns && s[at] == id) {
				at++;
				(void)pass(&w, ow_ubf_id_type((BFLDID)id));
			} else {
				remove_entry(&w, ow_ubf_id_type((BFLDID)id));
			}
		}
	}
	close_gaps(dst);
}

int ow_ubf_drop_unmatched(struct Ubfh *dst, const struct Ubfh *src)
{
	OW_CLEANUP(ow_cleanup_freep) struct Ubfh *copy = NULL;
	int r = ow_ubf_flat_copy(src, &copy);

	if (r == 0)
		r = ow_ubf_flatten(dst);
	if (r == 0)
		drop(dst, copy != NULL ? copy : src);
	return r;
}

int ow_ubf_flat_copy(const struct Ubfh *src, struct Ubfh **ret_copy)
{
	struct Ubfh *copy;
	int r;

	*ret_copy = NULL;
	if (!ow_ubf_paged(src))
		return 0;
	copy = malloc(src->used);
	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, src, src->used);
	r = ow_ubf_flatten(copy);
	if (r < 0)
		free(copy);
	else
		*ret_copy = copy;
	return r;
}

int ow_ubf_copy_tight(struct Ubfh *dst, uint32_t size, const struct Ubfh *src)
{
	struct ow_ubf_want w = { 0 };
	int r;

	ow_ubf_range_want(src, 0, ow_ubf_count(src), &w);
	if (ow_ubf_size_for(&w) > size || ow_ubf_init(dst, size) < 0)
		return -ENOSPC;
	r = ow_ubf_reserve(dst, 0, &w);
	if (r == 0)
		ow_ubf_append_reserved(dst, src, 0, ow_ubf_count(src));
	return r;
}

int ow_ubf_copy(struct Ubfh *dst, uint32_t size, const struct Ubfh *src)
{
	int aligned = (uintptr_t)dst % OW_UBF_ALIGN == 0;

	if (size < src->used)
		return aligned ? ow_ubf_copy_tight(dst, size, src) : -ENOSPC;
	memcpy(dst, src, src->used);
	if (aligned)
		dst->size = size;
	return 0;
}
