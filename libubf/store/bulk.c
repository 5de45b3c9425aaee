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

/* How many entries have their chunks side by side, in order, none empty or with
 * spare bytes. At least 1: the first one may be anything. */
static uint32_t run_length(const struct ow_ubf_ent *e, uint32_t k,
			   unsigned int type)
{
	uint32_t i = 0, next = e->u.chunk.off;

	while (i < k && e[i].u.chunk.off == next && e[i].u.chunk.len > 0 &&
	       !(next & OW_UBF_LOOSE)) {
		next += (uint32_t)ow_ubf_room(type, e[i].u.chunk.len);
		i++;
	}
	return i > 0 ? i : 1;
}

/* Copy the values of a run of entries to the end of the heap. */
static void copy_run(struct Ubfh *h, struct ow_ubf_ent *to,
		     const struct ow_ubf_ent *e, uint32_t k,
		     const struct Ubfh *src)
{
	unsigned int type = ow_ubf_id_type((BFLDID)ow_ubf_ids(h)
					   [to - ow_ubf_words(h)]);
	const struct ow_ubf_ent *last = e + k - 1;
	uint32_t from = e->u.chunk.off & OW_UBF_OFF_MASK, bytes, delta, i;

	bytes = (last->u.chunk.off & OW_UBF_OFF_MASK) - from +
		(uint32_t)ow_ubf_room(type, last->u.chunk.len);
	if (bytes == 0) {
		*to = (struct ow_ubf_ent){ 0 };	/* empty values are at 0 */
		return;
	}
	if (type != BFLD_STRING)
		ow_ubf_align(h);
	memcpy((char *)h + h->used, ow_ubf_heap(src) + from, bytes);
	delta = h->used - h->heap - from;
	h->used += bytes;
	for (i = 0; i < k; i++) {
		to[i].u.chunk.off = (e[i].u.chunk.off & OW_UBF_OFF_MASK) +
				    delta;
		to[i].u.chunk.len = e[i].u.chunk.len;
	}
}

/* Copy the words of k entries of one type, and their values. Their ids have
 * been copied. */
static void copy_words(struct Ubfh *h, uint32_t slot, const struct Ubfh *src,
		       uint32_t from, uint32_t k)
{
	unsigned int type = ow_ubf_id_type((BFLDID)ow_ubf_ids(h)[slot]);
	const struct ow_ubf_ent *e = ow_ubf_words(src) + from;
	struct ow_ubf_ent *to = ow_ubf_words(h) + slot;
	uint32_t n;

	if (ow_ubf_type_fixed(type)) {
		memcpy(to, e, k * sizeof(*to));
		return;
	}
	for (; k > 0; k -= n, e += n, to += n) {
		n = run_length(e, k, type);
		copy_run(h, to, e, n, src);
	}
}

static uint32_t clamp(uint32_t v, uint32_t lo, uint32_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

/* Heap bytes of k entries of one heap type, beginning at a rank. */
static uint64_t rooms(const struct Ubfh *h, unsigned int type, uint32_t from,
		      uint32_t k)
{
	const struct ow_ubf_ent *e;
	uint32_t i, n, slot;
	uint64_t sum = 0;

	for (; k > 0; k -= n, from += n) {
		n = ow_ubf_run(h, from, k, &slot);
		e = ow_ubf_words(h) + slot;
		for (i = 0; i < n; i++)
			sum += ow_ubf_room(type, e[i].u.chunk.len);
	}
	return sum;
}

uint64_t ow_ubf_range_bytes(const struct Ubfh *h, uint32_t from, uint32_t k)
{
	static const unsigned int heaped[] = { BFLD_STRING, BFLD_CARRAY,
					       BFLD_UBF, BFLD_VIEW };
	uint64_t sum = 0;
	uint32_t i, lo, hi;

	for (i = 0; i < sizeof(heaped) / sizeof(*heaped); i++) {
		lo = clamp(ow_ubf_start(h, heaped[i]), from, from + k);
		hi = clamp(ow_ubf_start(h, heaped[i] + 1), from, from + k);
		sum += ow_ubf_round(rooms(h, heaped[i], lo, hi - lo));
	}
	return sum;
}

/* Append k entries of one type to a directory with room. */
static void append_type(struct Ubfh *h, uint32_t slot, const struct Ubfh *src,
			uint32_t from, uint32_t k)
{
	uint32_t n, at;

	for (; k > 0; k -= n, from += n, slot += n) {
		n = ow_ubf_run(src, from, k, &at);
		memcpy(ow_ubf_ids(h) + slot, ow_ubf_ids(src) + at,
		       n * sizeof(uint32_t));
		copy_words(h, slot, src, at, n);
	}
}

void ow_ubf_append_reserved(struct Ubfh *h, const struct Ubfh *src,
			    uint32_t from, uint32_t k)
{
	uint32_t slot = ow_ubf_gap(h, ow_ubf_count(h), k);
	uint32_t start[OW_UBF_STARTS], t, lo = from, hi;

	ow_ubf_get_starts(h, start);
	for (t = 0; t <= BFLD_MAX; t++, lo = hi) {
		hi = clamp(ow_ubf_start(src, t + 1), from, from + k);
		append_type(h, slot + lo - from, src, lo, hi - lo);
		start[t + 1] += hi - from;
	}
	ow_ubf_set_starts(h, start);
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

/* Close the gaps of removed entries, whose ids are 0. */
static void close_gaps(struct Ubfh *h)
{
	struct ow_ubf_ent *words = ow_ubf_words(h) + h->first;
	uint32_t *ids = ow_ubf_ids(h) + h->first;
	uint32_t i, out = 0, count = ow_ubf_count(h);
	uint32_t start[OW_UBF_STARTS] = { 0 }, t, sum = 0;

	for (i = 0; i < count; i++) {
		if (ids[i] == 0)
			continue;
		start[ow_ubf_id_type((BFLDID)ids[i])]++;
		ids[out] = ids[i];
		words[out++] = words[i];
	}
	for (t = 0; t < OW_UBF_STARTS; t++) {
		count = start[t];
		start[t] = sum;
		sum += count;
	}
	ow_ubf_set_starts(h, start);
	ow_ubf_clear_spare(h);
	ow_ubf_tidy(h);
}

/* Remove the entry of a slot: free its chunk, set its id to 0. */
static void remove_entry(struct Ubfh *h, uint32_t slot)
{
	unsigned int type = ow_ubf_id_type((BFLDID)ow_ubf_ids(h)[slot]);

	if (!ow_ubf_type_fixed(type))
		ow_ubf_chunk_free(h, type, ow_ubf_words(h) + slot);
	ow_ubf_ids(h)[slot] = 0;
}

int ow_ubf_filter(struct Ubfh *h, const BFLDID *ids, uint32_t n, int keep)
{
	int r = ow_ubf_flatten(h), listed;
	uint32_t slot, end, at = 0, id;

	if (r < 0)
		return r;
	end = h->first + ow_ubf_count(h);
	for (slot = h->first; slot < end; slot++) {
		id = ow_ubf_ids(h)[slot];
		while (at < n && (uint32_t)ids[at] < id)
			at++;
		listed = at < n && (uint32_t)ids[at] == id;
		if (listed != keep)
			remove_entry(h, slot);
	}
	close_gaps(h);
	return 0;
}

/* src is flat. */
static void drop(struct Ubfh *dst, const struct Ubfh *src)
{
	const uint32_t *s = ow_ubf_ids(src) + src->first;
	uint32_t *d = ow_ubf_ids(dst);
	uint32_t slot = dst->first, end = slot + ow_ubf_count(dst), at = 0;
	uint32_t ns = ow_ubf_count(src), id;

	while (slot < end) {
		id = d[slot];
		while (at < ns && s[at] < id)
			at++;
		for (; slot < end && d[slot] == id; slot++) {
			if (at < ns && s[at] == id)
				at++;
			else
				remove_entry(dst, slot);
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
	if (src->pages == 0)
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
	if (ow_ubf_live(src) > size || ow_ubf_init(dst, size) < 0)
		return -ENOSPC;
	return ow_ubf_append(dst, src, 0, ow_ubf_count(src));
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
