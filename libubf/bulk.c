/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bulk.c - append and filter ranges of entries, in one linear pass
 *
 * Chunks that lie side by side in the source are copied by one memcpy.
 */
#include "libubf/bulk.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/store.h"

/* How many entries have chunks side by side in order, each without spare
 * capacity, none empty; at least one, which may be anything. */
static uint32_t run_length(const struct ow_ubf_ent *e, uint32_t k)
{
	uint32_t i = 0, next = e->u.chunk.off;

	while (i < k && e[i].u.chunk.off == next && e[i].len > 0 &&
	       e[i].u.chunk.cap == (uint32_t)ow_ubf_round(e[i].len)) {
		next += e[i].u.chunk.cap;
		i++;
	}
	return i > 0 ? i : 1;
}

/* Copy a run of entries; their values lie at `from`. */
static void copy_run(struct Ubfh *h, struct ow_ubf_ent *to,
		     const struct ow_ubf_ent *e, uint32_t k, const char *from)
{
	const struct ow_ubf_ent *last = e + k - 1;
	uint32_t delta = h->used - ow_ubf_heap_base(h) - e->u.chunk.off, i;
	uint32_t bytes = last->u.chunk.off - e->u.chunk.off +
			 (uint32_t)ow_ubf_round(last->len);

	memcpy((char *)h + h->used, from, bytes);
	h->used += bytes;
	memcpy(to, e, k * sizeof(*e));
	to[k - 1].u.chunk.cap = (uint32_t)ow_ubf_round(last->len);
	if (bytes == 0)
		return;		/* empty values are at 0 */
	for (i = 0; i < k; i++)
		to[i].u.chunk.off += delta;
}

/* Copy entries of a heap type with their values to the end of the heap. */
static void copy_values(struct Ubfh *h, struct ow_ubf_ent *to,
			const struct ow_ubf_ent *e, uint32_t k,
			const char *heap)
{
	uint32_t n;

	for (; k > 0; k -= n, e += n, to += n) {
		n = run_length(e, k);
		copy_run(h, to, e, n, heap + e->u.chunk.off);
	}
}

static uint32_t clamp(uint32_t v, uint32_t lo, uint32_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

uint64_t ow_ubf_range_bytes(const struct Ubfh *h, uint32_t from, uint32_t k)
{
	const struct ow_ubf_ent *dir = ow_ubf_dir(h);
	uint32_t i, hi, end = from + k;
	uint64_t sum = 0;

	/* All types below string are fixed, and of those above, pointers. */
	i = clamp(h->start[BFLD_STRING], from, end);
	for (hi = clamp(h->start[BFLD_INT], from, end); i < hi; i++)
		sum += ow_ubf_round(dir[i].len);
	for (i = clamp(h->start[BFLD_UBF], from, end); i < end; i++)
		sum += ow_ubf_round(dir[i].len);
	return sum;
}

void ow_ubf_append_reserved(struct Ubfh *h, const struct Ubfh *src,
			    uint32_t from, uint32_t k)
{
	const struct ow_ubf_ent *dir = ow_ubf_dir(src);
	struct ow_ubf_ent *to = ow_ubf_gap(h, ow_ubf_count(h), k);
	uint32_t t, lo = from, hi;

	for (t = 0; t <= BFLD_MAX; t++, lo = hi) {
		hi = clamp(src->start[t + 1], from, from + k);
		if (ow_ubf_type_fixed(t))
			memcpy(to + (lo - from), dir + lo,
			       (hi - lo) * sizeof(*dir));
		else if (hi > lo)
			copy_values(h, to + (lo - from), dir + lo, hi - lo,
				    ow_ubf_heap(src));
	}
	for (t = 0; t < OW_UBF_STARTS; t++)
		h->start[t] += clamp(src->start[t], from, from + k) - from;
}

int ow_ubf_append(struct Ubfh *h, const struct Ubfh *src, uint32_t from,
		  uint32_t k)
{
	int r = ow_ubf_reserve(h, ow_ubf_count(h), k,
			       ow_ubf_range_bytes(src, from, k));

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

/* Close the gaps after some entries have been marked dead by id 0. */
static void sweep(struct Ubfh *h)
{
	struct ow_ubf_ent *dir = ow_ubf_dir(h);
	uint32_t i, out = 0, count = ow_ubf_count(h);
	uint32_t start[OW_UBF_STARTS] = { 0 }, t, sum = 0, n;

	for (i = 0; i < count; i++) {
		if (dir[i].id == 0)
			continue;
		start[ow_ubf_id_type((BFLDID)dir[i].id)]++;
		dir[out++] = dir[i];
	}
	memset(dir + out, 0, (count - out) * sizeof(*dir));
	for (t = 0; t < OW_UBF_STARTS; t++) {
		n = start[t];
		h->start[t] = sum;
		sum += n;
	}
	ow_ubf_tidy(h);
}

static void kill_entry(struct Ubfh *h, struct ow_ubf_ent *e)
{
	if (!ow_ubf_type_fixed(ow_ubf_id_type((BFLDID)e->id)))
		ow_ubf_chunk_free(h, e->u.chunk);
	e->id = 0;
}

void ow_ubf_filter(struct Ubfh *h, const BFLDID *ids, uint32_t n, int keep)
{
	struct ow_ubf_ent *dir = ow_ubf_dir(h);
	uint32_t i, at = 0, count = ow_ubf_count(h);
	int listed;

	for (i = 0; i < count; i++) {
		while (at < n && (uint32_t)ids[at] < dir[i].id)
			at++;
		listed = at < n && (uint32_t)ids[at] == dir[i].id;
		if (listed != keep)
			kill_entry(h, dir + i);
	}
	sweep(h);
}

void ow_ubf_drop_unmatched(struct Ubfh *dst, const struct Ubfh *src)
{
	struct ow_ubf_ent *d = ow_ubf_dir(dst), *s = ow_ubf_dir(src);
	uint32_t i, at = 0, nd = ow_ubf_count(dst), ns = ow_ubf_count(src);
	uint32_t id;

	for (i = 0; i < nd;) {
		id = d[i].id;
		while (at < ns && s[at].id < id)
			at++;
		for (; i < nd && d[i].id == id; i++) {
			if (at < ns && s[at].id == id)
				at++;
			else
				kill_entry(dst, d + i);
		}
	}
	sweep(dst);
}
