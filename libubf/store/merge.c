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
	return (struct walk){ ow_ubf_ids(dst) + dst->first,
			      ow_ubf_ids(src) + src->first,
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

/* The words of a flat directory from rank i on. */
static struct ow_ubf_ent *words_from(const struct Ubfh *h, uint32_t i)
{
	return ow_ubf_words(h) + h->first + i;
}

/* Free bytes that the values of a group take. */
static uint64_t group_bytes(const struct Ubfh *dst,
			    const struct ow_ubf_ent *d,
			    const struct ow_ubf_ent *s, const struct group *g)
{
	unsigned int type = ow_ubf_id_type((BFLDID)g->id);
	uint64_t sum = 0, room;
	uint32_t i;

	if (ow_ubf_type_fixed(type))
		return 0;
	for (i = 0; i < g->match; i++) {
		room = ow_ubf_room(type, s[i].u.chunk.len);
		if (room > ow_ubf_capacity(dst, type, d + i))
			sum += room;
	}
	for (i = g->ns - g->add; i < g->ns; i++)
		sum += ow_ubf_room(type, s[i].u.chunk.len);
	return sum;
}

/* Count the entries and heap bytes that the merge adds. */
static void plan(const struct Ubfh *dst, const struct Ubfh *src,
		 enum ow_ubf_merge how, uint32_t *ret_k, uint64_t *ret_bytes)
{
	struct walk w = walk_of(dst, src);
	struct group g;
	uint64_t bytes = dst->used % OW_UBF_ALIGN;	/* alignment */
	uint32_t k = 0;

	while (step(&w, how, &g)) {
		k += g.add;
		bytes += group_bytes(dst, words_from(dst, w.nd),
				     words_from(src, w.ns), &g);
	}
	*ret_k = k;
	*ret_bytes = bytes;
}

static void change(struct Ubfh *dst, struct ow_ubf_ent *d, unsigned int type,
		   struct ow_ubf_val v)
{
	struct ow_ubf_ent old = *d;

	if (ow_ubf_room(type, v.len) <= ow_ubf_capacity(dst, type, d)) {
		ow_ubf_chunk_set(dst, d, type, v);
		return;
	}
	ow_ubf_chunk_put(dst, d, type, v);
	ow_ubf_chunk_free(dst, type, &old);
}

/* Set the values of k added entries, whose words are undefined, from src. */
static void add_values(struct Ubfh *dst, const struct Ubfh *src,
		       unsigned int type, struct ow_ubf_ent *d, uint32_t rank,
		       uint32_t k)
{
	const struct ow_ubf_ent *s = words_from(src, rank);
	uint32_t i;

	if (ow_ubf_type_fixed(type)) {
		memcpy(d, s, k * sizeof(*d));
		return;
	}
	for (i = 0; i < k; i++)
		ow_ubf_chunk_put(dst, d + i, type,
				 ow_ubf_entry_val(src, type, s + i));
}

/* Change the values of k entries to those of src. */
static void change_values(struct Ubfh *dst, const struct Ubfh *src,
			  unsigned int type, struct ow_ubf_ent *d,
			  uint32_t rank, uint32_t k)
{
	const struct ow_ubf_ent *s = words_from(src, rank);
	uint32_t i;

	if (ow_ubf_type_fixed(type)) {
		memcpy(d, s, k * sizeof(*d));
		return;
	}
	for (i = 0; i < k; i++)
		change(dst, d + i, type, ow_ubf_entry_val(src, type, s + i));
}

/* Behind the last entry of dst there are k free slots. src may be the same
 * buffer: its entries are read before those of dst are moved. */
static void merge_groups(struct Ubfh *dst, const struct Ubfh *src,
			 enum ow_ubf_merge how, uint32_t k)
{
	struct walk w = walk_of(dst, src);
	uint32_t *ids = ow_ubf_ids(dst) + dst->first, out = w.nd + k, i;
	struct ow_ubf_ent *words = words_from(dst, 0);
	uint32_t start[OW_UBF_STARTS];
	unsigned int type;
	struct group g;

	ow_ubf_get_starts(dst, start);
	while (out > 0 && step(&w, how, &g)) {
		type = ow_ubf_id_type((BFLDID)g.id);
		out -= g.add;
		if (g.add > 0)
			add_values(dst, src, type, words + out,
				   w.ns + g.ns - g.add, g.add);
		for (i = 0; i < g.add; i++)
			ids[out + i] = g.id;
		out -= g.nd;
		if (out != w.nd) {
			memmove(words + out, words + w.nd,
				g.nd * sizeof(*words));
			memmove(ids + out, ids + w.nd, g.nd * sizeof(*ids));
		}
		if (g.match > 0)
			change_values(dst, src, type, words + out, w.ns,
				      g.match);
		for (i = type + 1; i < OW_UBF_STARTS; i++)
			start[i] += g.add;
	}
	ow_ubf_set_starts(dst, start);
}

/* Merge into a dst that has room for k more entries and `bytes`. */
static void merge_planned(struct Ubfh *dst, const struct Ubfh *src,
			  enum ow_ubf_merge how, uint32_t k, uint64_t bytes)
{
	int r = ow_ubf_reserve(dst, ow_ubf_count(dst), k, bytes);

	assert(r == 0);
	(void)r;
	(void)ow_ubf_gap(dst, ow_ubf_count(dst), k);
	merge_groups(dst, src, how, k);
}

/* dst has no room for old and new values together: merge in a larger copy, and
 * copy the result back if it fits without holes. */
static int merge_aside(struct Ubfh *dst, const struct Ubfh *src,
		       enum ow_ubf_merge how, uint32_t k, uint64_t bytes)
{
	OW_CLEANUP(ow_cleanup_freep) struct Ubfh *copy = NULL;
	uint64_t size = dst->used + (k + UINT64_C(1)) * OW_UBF_SLOT + bytes +
			sizeof(struct ow_ubf_large);
	uint32_t keep = dst->size;
	int r;

	if (size > OW_UBF_SIZE_MAX)
		return -ENOSPC;
	copy = malloc(size);
	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, dst, dst->used);
	copy->size = (uint32_t)size;
	merge_planned(copy, dst == src ? copy : src, how, k, bytes);
	if (ow_ubf_live(copy) > keep)
		return -ENOSPC;
	r = ow_ubf_compact(copy, ow_ubf_count(copy));
	if (r < 0)
		return r;
	memcpy(dst, copy, copy->used);
	dst->size = keep;
	return 0;
}

static int merge_flat(struct Ubfh *dst, const struct Ubfh *src,
		      enum ow_ubf_merge how)
{
	uint64_t bytes, need;
	uint32_t k, spare = dst->slots - ow_ubf_count(dst);

	plan(dst, src, how, &k, &bytes);
	need = dst->used + bytes;
	if (k > spare)
		need += ((uint64_t)(k - spare) + 1) * OW_UBF_SLOT +
			sizeof(struct ow_ubf_large);
	if (need > dst->size)
		return merge_aside(dst, src, how, k, bytes);
	merge_planned(dst, src, how, k, bytes);
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
