/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - bring the occurrences of one buffer into another
 *
 * Both directories are sorted, so one walk from the back, group of equal ids
 * by group, merges src into the grown directory of dst in place. The space is
 * counted beforehand: either all of it fits or nothing changes.
 */
#include "libubf/bulk.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "libubf/cleanup.h"
#include "libubf/store.h"

struct walk {
	const struct ow_ubf_ent *d, *s;	/* first entries */
	uint32_t nd, ns;		/* entries not yet walked */
};

/* The last group of equal ids not yet walked. */
struct group {
	uint32_t id;
	uint32_t nd, ns;	/* occurrences in dst and in src */
	uint32_t match;		/* the first so many are changed in dst */
	uint32_t add;		/* the last so many of src are added */
};

static uint32_t group_size(const struct ow_ubf_ent *e, uint32_t n, uint32_t id)
{
	uint32_t k = 0;

	while (k < n && e[n - 1 - k].id == id)
		k++;
	return k;
}

/* Step to the group before; 0 at the beginning of both. */
static int step(struct walk *w, enum ow_ubf_merge how, struct group *g)
{
	uint32_t did = w->nd > 0 ? w->d[w->nd - 1].id : 0;
	uint32_t sid = w->ns > 0 ? w->s[w->ns - 1].id : 0;

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

/* Heap bytes a group takes from the free space. */
static uint64_t group_bytes(const struct walk *w, const struct group *g)
{
	const struct ow_ubf_ent *d = w->d + w->nd, *s = w->s + w->ns;
	uint64_t sum = 0, len;
	uint32_t i;

	if (ow_ubf_type_fixed(ow_ubf_id_type((BFLDID)g->id)))
		return 0;
	for (i = 0; i < g->match; i++) {
		len = ow_ubf_round(s[i].len);
		if (len > d[i].u.chunk.cap)
			sum += len;
	}
	for (i = g->ns - g->add; i < g->ns; i++)
		sum += ow_ubf_round(s[i].len);
	return sum;
}

/* Entries and heap bytes the merge adds. */
static void plan(const struct Ubfh *dst, const struct Ubfh *src,
		 enum ow_ubf_merge how, uint32_t *ret_k, uint64_t *ret_bytes)
{
	struct walk w = { ow_ubf_dir(dst), ow_ubf_dir(src), ow_ubf_count(dst),
			  ow_ubf_count(src) };
	struct group g;
	uint64_t bytes = 0;
	uint32_t k = 0;

	while (step(&w, how, &g)) {
		k += g.add;
		bytes += group_bytes(&w, &g);
	}
	*ret_k = k;
	*ret_bytes = bytes;
}

/* Make *d a copy of an entry of another buffer, value at the heap's end. */
static void copy_entry(struct Ubfh *dst, struct ow_ubf_ent *d,
		       const struct ow_ubf_ent *s, const char *heap)
{
	uint32_t cap = (uint32_t)ow_ubf_round(s->len);

	*d = *s;
	if (ow_ubf_type_fixed(ow_ubf_id_type((BFLDID)s->id)))
		return;
	d->u.chunk.off = cap > 0 ? dst->used - ow_ubf_heap_base(dst) : 0;
	d->u.chunk.cap = cap;
	memcpy((char *)dst + dst->used, heap + s->u.chunk.off, cap);
	dst->used += cap;
}

static void change(struct Ubfh *dst, struct ow_ubf_ent *d,
		   const struct ow_ubf_ent *s, const char *heap)
{
	uint32_t now = (uint32_t)ow_ubf_round(d->len);
	uint32_t then = (uint32_t)ow_ubf_round(s->len);
	char *to;

	if (ow_ubf_type_fixed(ow_ubf_id_type((BFLDID)s->id))) {
		d->u.fixed = s->u.fixed;
		return;
	}
	if (then > d->u.chunk.cap) {
		struct ow_ubf_chunk old = d->u.chunk;

		copy_entry(dst, d, s, heap);
		memset(ow_ubf_heap(dst) + old.off, 0, old.cap);
		dst->waste += old.cap;
		return;
	}
	to = ow_ubf_heap(dst) + d->u.chunk.off;
	memcpy(to, heap + s->u.chunk.off, then);
	if (then < now)
		memset(to + then, 0, now - then);
	d->len = s->len;
}

static void merge_groups(struct Ubfh *dst, const struct Ubfh *src,
			 enum ow_ubf_merge how, uint32_t k)
{
	struct ow_ubf_ent *dir = ow_ubf_dir(dst);
	const char *heap = ow_ubf_heap(src);
	struct walk w = { dir, ow_ubf_dir(src), ow_ubf_count(dst),
			  ow_ubf_count(src) };
	struct ow_ubf_ent *out = dir + w.nd + k;
	struct group g;
	uint32_t i;

	while (step(&w, how, &g)) {
		const struct ow_ubf_ent *s = w.s + w.ns;

		out -= g.add;
		for (i = 0; i < g.add; i++)
			copy_entry(dst, out + i, s + g.ns - g.add + i, heap);
		out -= g.nd;
		if (out != dir + w.nd)
			memmove(out, dir + w.nd, g.nd * sizeof(*out));
		for (i = 0; i < g.match; i++)
			change(dst, out + i, s + i, heap);
		for (i = ow_ubf_id_type((BFLDID)g.id) + 1; i < OW_UBF_STARTS;
		     i++)
			dst->start[i] += g.add;
	}
}

/* Merge into a dst that has room for `k` entries and `bytes` as planned. */
static void merge_planned(struct Ubfh *dst, const struct Ubfh *src,
			  enum ow_ubf_merge how, uint32_t k, uint64_t bytes)
{
	int r = ow_ubf_reserve(dst, ow_ubf_count(dst), k, bytes);

	assert(r == 0);
	(void)r;
	(void)ow_ubf_gap(dst, ow_ubf_count(dst), k);
	merge_groups(dst, src, how, k);
}

/* Old and new values do not fit side by side: merge in a larger copy, and see
 * whether what comes out fits without holes. */
static int merge_aside(struct Ubfh *dst, const struct Ubfh *src,
		       enum ow_ubf_merge how, uint32_t k, uint64_t bytes)
{
	OW_CLEANUP(ow_cleanup_freep) struct Ubfh *copy = NULL;
	uint64_t size = dst->used + k * sizeof(struct ow_ubf_ent) + bytes;
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

int ow_ubf_merge(struct Ubfh *dst, const struct Ubfh *src,
		 enum ow_ubf_merge how)
{
	uint64_t bytes, need;
	uint32_t k, spare = dst->slots - ow_ubf_count(dst);

	if (dst == src && how != OW_UBF_MERGE_CONCAT)
		return 0;
	plan(dst, src, how, &k, &bytes);
	need = dst->used + bytes;
	if (k > spare)
		need += (uint64_t)(k - spare) * sizeof(struct ow_ubf_ent);
	if (need > dst->size)
		return merge_aside(dst, src, how, k, bytes);
	merge_planned(dst, src, how, k, bytes);
	ow_ubf_tidy(dst);
	return 0;
}
