/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bulk.c - append, filter, copy buffers, each in one linear pass
 *
 * The directory written is flat.
 */
#include "libubf/store/bulk.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/store/chunk.h"
#include "libubf/store/header.h"
#include "libubf/store/slots.h"
#include "libubf/store/store.h"

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
