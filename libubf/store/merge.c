/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - bring the occurrences of one buffer into another
 *
 * Both directories are sorted. One walk from the end, one group of equal ids
 * after the other, merges src into the grown directory of dst in place. The
 * space is counted first: either everything fits or nothing changes. Paged
 * directories are made flat before, that of src in a copy.
 */
#include "libubf/store/merge.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/store/bulk.h"
#include "libubf/store/chunk.h"
#include "libubf/store/slots.h"
#include "libubf/store/store.h"

struct walk {
	const uint32_t *d, *s;	/* ids of the first entries */
	uint32_t nd, ns;	/* entries not yet walked */
};

/* The entries with the highest id not yet walked. */
struct group {
	uint32_t id;
	uint32_t nd, ns;	/* occurrences in dst and in src */
	uint32_t match;		/* number changed in dst: the first ones */
	uint32_t add;		/* number of src added: the last ones */
};

static struct walk walk_of(const struct Ubfh *dst, const struct Ubfh *src)
{
	return (struct walk){ ow_ubf_ids(dst) + ow_ubf_first(dst),
			      ow_ubf_ids(src) + ow_ubf_first(src),
			      ow_ubf_count(dst), ow_ubf_count(src) };
}

static uint32_t group_size(const uint32_t *ids, uint32_t n, uint32_t id)
{
	uint32_t k = 0;

	while (k < n && ids[n - 1 - k] == id)
		k++;
	return k;
}

/* Step to the next lower id: 1, or 0 if there is none. */
static int step(struct walk *w, enum ow_ubf_merge how, struct group *g)
{
	uint32_t did = w->nd > 0 ? w->d[w->nd - 1] : 0;
	uint32_t sid = w->ns > 0 ? w->s[w->ns - 1] : 0;

	g->id = did > sid ? did : sid;
	if (g->id == 0)
		return 0;
	g->nd = group_size(w->d, w->nd, g->id);
	g->ns = group_size(w->s, w->ns, g->id);
	g->match = g->nd < g->ns ? g->nd : g->ns;
	if (how == OW_UBF_MERGE_CONCAT)
		g->match = 0;
	g->add = how == OW_UBF_MERGE_MATCHED ? 0 : g->ns - g->match;
	w->nd -= g->nd;
	w->ns -= g->ns;
	return 1;
}

/* Words of one type, in consecutive slots. */
struct words {
	const struct Ubfh *h;
	struct ow_ubf_ent *e;
	unsigned int type;
	uint32_t width;
	int plain;
};

/* Functions that get whether both buffers are plain are inlined: then widths
 * are constants. Both are flat. */
#define INLINE static inline __attribute__((always_inline))

INLINE struct words words_at(const struct Ubfh *h, unsigned int type,
			     struct ow_ubf_ent *e, int plain)
{
	if (plain)
		return (struct words){ h, e, type, 8, 1 };
	return (struct words){ h, e, type, ow_ubf_width(h, type),
			       ow_ubf_plain(h) };
}

INLINE struct words words_from(const struct Ubfh *h, unsigned int type,
			       uint32_t rank, int plain)
{
	return words_at(h, type, plain ? ow_ubf_ent_plain(h, rank)
				       : ow_ubf_ent_at(h, type, rank), plain);
}

INLINE struct ow_ubf_ent *ent(const struct words *w, uint32_t i)
{
	return ow_ubf_ent_step(w->e, w->width, i);
}

INLINE struct ow_ubf_chunk chunk(const struct words *w, uint32_t i)
{
	return ow_ubf_chunk_read(ent(w, i), w->plain);
}

/* The value of an entry of a heap type. */
INLINE struct ow_ubf_val heap_val(const struct words *w, uint32_t i)
{
	struct ow_ubf_chunk c = chunk(w, i);

	return (struct ow_ubf_val){ ow_ubf_chunk_at(w->h, c), c.len };
}

/* The heap bytes that a group of a heap type adds. Spare bytes of chunks do not
 * count: to make room may close them. */
INLINE uint64_t group_bytes(const struct words *d, const struct words *s,
			    const struct group *g)
{
	uint64_t sum = 0, room;
	uint32_t i;

	for (i = 0; i < g->match; i++) {
		room = ow_ubf_taken(s->type, chunk(s, i).len);
		if (room > ow_ubf_taken(s->type, chunk(d, i).len))
			sum += room;
	}
	for (i = g->ns - g->add; i < g->ns; i++)
		sum += ow_ubf_taken(s->type, chunk(s, i).len);
	return sum;
}

/* At least the length of the longest value in the heap. Exact only if it tells
 * whether a dense buffer can hold them. */
static uint64_t longest(const struct Ubfh *h)
{
	struct ow_ubf_want w = { .longest = h->used - h->heap };

	if (w.longest <= OW_UBF_DENSE_LEN)
		return w.longest;
	w.longest = 0;
	ow_ubf_range_want(h, 0, ow_ubf_count(h), &w);
	return w.longest;
}

/* Count the entries and heap bytes that the merge adds. */
INLINE struct ow_ubf_want plan(const struct Ubfh *dst, const struct Ubfh *src,
			       enum ow_ubf_merge how, int plain)
{
	uint32_t k = 0, wide = 0;
	uint64_t bytes = OW_UBF_ALIGN;	/* alignment */
	struct walk at = walk_of(dst, src);
	struct words d, s;
	unsigned int type;
	struct group g;

	while (step(&at, how, &g)) {
		type = ow_ubf_id_type((BFLDID)g.id);
		k += g.add;
		if (ow_ubf_type_fixed(type)) {
			wide += ow_ubf_type_wide(type) ? g.add : 0;
			continue;
		}
		d = words_from(dst, type, at.nd, plain);
		s = words_from(src, type, at.ns, plain);
		bytes += group_bytes(&d, &s, &g);
	}
	return (struct ow_ubf_want){ k - wide, wide, bytes, longest(src) };
}

INLINE void change(struct Ubfh *dst, const struct words *d, uint32_t i,
		   struct ow_ubf_val v)
{
	struct ow_ubf_chunk old = chunk(d, i);
	struct ow_ubf_ent *e = ent(d, i);

	if (ow_ubf_taken(d->type, v.len) <=
	    ow_ubf_capacity(dst, d->type, old)) {
		ow_ubf_chunk_set(dst, e, d->type, v, d->plain);
		return;
	}
	ow_ubf_chunk_put(dst, e, d->type, v, d->plain);
	ow_ubf_chunk_free(dst, d->type, old);
}

INLINE void copy_fixed(const struct words *d, const struct words *s, uint32_t k)
{
	if (d->width != 8 || s->width != 8)
		ow_ubf_copy_fixed(d->e, d->width, s->e, s->width, k);
	else if (k == 1)
		memcpy((void *)d->e, s->e, 8);
	else
		memcpy((void *)d->e, s->e, (size_t)k * 8);
}

/* Set the values of k added entries, whose words are undefined. */
INLINE void add_values(struct Ubfh *dst, const struct words *d,
		       const struct words *s, uint32_t k)
{
	uint32_t i;

	if (ow_ubf_type_fixed(d->type)) {
		copy_fixed(d, s, k);
		return;
	}
	for (i = 0; i < k; i++)
		ow_ubf_chunk_put(dst, ent(d, i), d->type, heap_val(s, i),
				 d->plain);
}

/* Change the values of k entries. */
INLINE void change_values(struct Ubfh *dst, const struct words *d,
			  const struct words *s, uint32_t k)
{
	uint32_t i;

	if (ow_ubf_type_fixed(d->type)) {
		copy_fixed(d, s, k);
		return;
	}
	for (i = 0; i < k; i++)
		change(dst, d, i, heap_val(s, i));
}

/* The ends of the parts of dst that are not yet walked: `from` before the
 * merge, `to` after it. */
struct ends {
	struct ow_ubf_ent *from, *to;
};

/* Words of a row from its last entry on: k of them are added. */
static struct ends ends_of(struct Ubfh *h, unsigned int row, uint32_t k)
{
	uint32_t width = ow_ubf_row_width(row);
	char *end = ow_ubf_row(h, row) +
		    (size_t)width * (ow_ubf_span(h, row).first +
				     ow_ubf_row_count(h, row));

	return (struct ends){ (void *)end, (void *)(end + (size_t)width * k) };
}

INLINE struct ow_ubf_ent *back(struct ow_ubf_ent *e, uint32_t width, uint32_t k)
{
	return (struct ow_ubf_ent *)((char *)e - (size_t)width * k);
}

/* Merge the words of a group of one id; those of src begin at `s`. */
INLINE void merge_words(struct Ubfh *dst, struct ends *x,
			const struct group *g, const struct words *s, int plain)
{
	struct words d = words_at(dst, s->type, NULL, plain), from = *s;

	x->to = d.e = back(x->to, d.width, g->add);
	if (g->add > 0) {
		from.e = ent(s, g->ns - g->add);
		add_values(dst, &d, &from, g->add);
	}
	x->to = d.e = back(x->to, d.width, g->nd);
	x->from = back(x->from, d.width, g->nd);
	if (x->to != x->from)
		memmove((void *)x->to, x->from, (size_t)d.width * g->nd);
	if (g->match > 0)
		change_values(dst, &d, s, g->match);
}

/* Write the ids of a group; those not yet walked end at `to` after the merge.
 * Returns where the group begins. */
INLINE uint32_t *merge_ids(uint32_t *to, const uint32_t *from,
			   const struct group *g)
{
	uint32_t i;

	to -= g->add;
	for (i = 0; i < g->add; i++)
		to[i] = g->id;
	to -= g->nd;
	if (to != from)
		memmove(to, from, g->nd * sizeof(*to));
	return to;
}

/* Behind the last entries of dst there are free slots. src may be the same
 * buffer: its entries are read before those of dst are moved. */
static void merge_plain(struct Ubfh *dst, const struct Ubfh *src,
			enum ow_ubf_merge how, uint32_t k)
{
	struct walk at = walk_of(dst, src);
	uint32_t *ids = ow_ubf_ids_plain(dst) + ow_ubf_dir(dst)->first;
	uint32_t *to = ids + at.nd + k;
	struct ends x = { ow_ubf_ent_plain(dst, at.nd),
			  ow_ubf_ent_plain(dst, at.nd + k) };
	struct words s;
	struct group g;

	while (to > ids && step(&at, how, &g)) {
		s = words_from(src, ow_ubf_id_type((BFLDID)g.id), at.ns, 1);
		merge_words(dst, &x, &g, &s, 1);
		to = merge_ids(to, ids + at.nd, &g);
		if (g.add > 0)
			ow_ubf_shift_plain(dst, s.type, g.add);
	}
}

/* The same if one of the buffers is dense: start[] of src, which may be the
 * same, is needed to the end. */
static void merge_rows(struct Ubfh *dst, const struct Ubfh *src,
		       enum ow_ubf_merge how, const struct ow_ubf_want *want)
{
	struct walk at = walk_of(dst, src);
	uint32_t *ids = ow_ubf_ids(dst) + ow_ubf_first(dst), i;
	uint32_t k = want->narrow + want->wide, *to = ids + at.nd + k;
	uint32_t start[OW_UBF_STARTS];
	struct ends x[OW_UBF_ROWS];
	struct words s;
	struct group g;

	x[OW_UBF_NARROW] = ends_of(dst, OW_UBF_NARROW, want->narrow);
	x[OW_UBF_WIDE] = ends_of(dst, OW_UBF_WIDE, ow_ubf_plain(dst)
							   ? k : want->wide);
	ow_ubf_get_starts(dst, start);
	while (to > ids && step(&at, how, &g)) {
		s = words_from(src, ow_ubf_id_type((BFLDID)g.id), at.ns, 0);
		merge_words(dst, x + ow_ubf_row_of(dst, s.type), &g, &s, 0);
		to = merge_ids(to, ids + at.nd, &g);
		for (i = s.type + 1; i < OW_UBF_STARTS; i++)
			start[i] += g.add;
	}
	ow_ubf_set_starts(dst, start);
}

static inline int both_usual(const struct Ubfh *a, const struct Ubfh *b)
{
	return ow_ubf_usual(a) && ow_ubf_usual(b);
}

/* Merge into a dst that has room. */
static void merge_planned(struct Ubfh *dst, const struct Ubfh *src,
			  enum ow_ubf_merge how, const struct ow_ubf_want *w)
{
	ow_ubf_open_ends(dst, w->narrow, w->wide);
	if (both_usual(dst, src))
		merge_plain(dst, src, how, w->narrow + w->wide);
	else
		merge_rows(dst, src, how, w);
}

/* dst has no room for old and new values together: merge in a larger copy, and
 * copy the result back if it fits without holes. */
static int merge_aside(struct Ubfh *dst, const struct Ubfh *src,
		       enum ow_ubf_merge how, const struct ow_ubf_want *w)
{
	OW_CLEANUP(ow_cleanup_freep) struct Ubfh *copy = NULL;
	uint64_t size = dst->used + OW_UBF_PLAIN_BASE + w->bytes +
			((uint64_t)ow_ubf_count(dst) + w->narrow + w->wide +
			 1) * OW_UBF_SLOT;
	int r;

	if (size > OW_UBF_SIZE_MAX)
		return -ENOSPC;
	copy = malloc(size);
	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, dst, dst->used);
	copy->size = (uint32_t)size;
	r = ow_ubf_reserve(copy, ow_ubf_count(copy), w);
	if (r < 0)
		return r;
	merge_planned(copy, dst == src ? copy : src, how, w);
	return ow_ubf_copy_tight(dst, dst->size, copy);
}

static int merge_flat(struct Ubfh *dst, const struct Ubfh *src,
		      enum ow_ubf_merge how)
{
	struct ow_ubf_want w = both_usual(dst, src) ? plan(dst, src, how, 1)
						    : plan(dst, src, how, 0);
	int r = ow_ubf_reserve(dst, ow_ubf_count(dst), &w);

	if (r == -ENOSPC)
		return merge_aside(dst, src, how, &w);
	if (r == 0)
		r = ow_ubf_flatten(dst);
	if (r < 0)
		return r;
	merge_planned(dst, src, how, &w);
	ow_ubf_tidy(dst);
	return 0;
}

int ow_ubf_merge(struct Ubfh *dst, const struct Ubfh *src,
		 enum ow_ubf_merge how)
{
	OW_CLEANUP(ow_cleanup_freep) struct Ubfh *copy = NULL;
	int r;

	if (dst == src && how != OW_UBF_MERGE_CONCAT)
		return 0;
	r = ow_ubf_flatten(dst);	/* and src, if it is the same */
	if (r == 0)
		r = ow_ubf_flat_copy(src, &copy);
	return r < 0 ? r : merge_flat(dst, copy != NULL ? copy : src, how);
}
