/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space.c - make room in a buffer: grow the directory, close holes
 *
 * The slow paths of store.c. Holes are closed by copying the values, in order
 * of their entries, to temporary memory and back: one pass, in whatever order
 * they were. That happens when space is short, or when the holes are as large
 * as the values.
 */
#include "libubf/store/store.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/store/chunk.h"
#include "libubf/store/copy.h"
#include "libubf/store/header.h"
#include "libubf/store/pages.h"
#include "libubf/store/slots.h"

#define SLOTS_MIN 8
#define SLOTS_DOUBLED 64	/* slots; above, a quarter is added */
#define SPARE_MAX 64	/* so many free slots are always kept */
#define WASTE_MAX 512	/* so many bytes of holes are always kept */

/* The plain form has an even number of slots, so that the words are aligned. */
static uint32_t even(uint64_t n)
{
	return (uint32_t)(n + (n & 1));
}

/* ---- sizes ---- */

/* Bytes of a header and a directory without free slots. */
static uint64_t dir_bytes(int plain, uint64_t narrow, uint64_t wide)
{
	uint64_t n = narrow + wide;

	if (plain)
		return OW_UBF_PLAIN_BASE + (n + (n & 1)) * OW_UBF_SLOT;
	return ow_ubf_round(sizeof(struct Ubfh) + 4 * (n + narrow)) + 8 * wide;
}

/* Whether the dense form can hold this. */
static int dense_enough(uint64_t bytes, uint64_t entries, uint64_t longest)
{
	return bytes <= OW_UBF_DENSE_BYTES && entries <= OW_UBF_DENSE_ENTRIES &&
	       longest <= OW_UBF_DENSE_LEN;
}

uint64_t ow_ubf_size_for(const struct ow_ubf_want *w)
{
	uint64_t n = dir_bytes(0, w->narrow, w->wide) + w->bytes;

	if (dense_enough(n, (uint64_t)w->narrow + w->wide, w->longest))
		return n;
	return dir_bytes(1, w->narrow, w->wide) + w->bytes;
}

static const struct ow_ubf_want nothing;

/* Bytes of the buffer without holes and free slots, but with more entries. */
static uint64_t live_with(const struct Ubfh *h, int plain,
			  const struct ow_ubf_want *w)
{
	uint32_t count = ow_ubf_count(h);
	uint32_t wide = ow_ubf_start(h, BFLD_LONG + 1) -
			ow_ubf_start(h, BFLD_LONG) +
			ow_ubf_start(h, BFLD_DOUBLE + 1) -
			ow_ubf_start(h, BFLD_DOUBLE) +
			ow_ubf_start(h, BFLD_PTR + 1) -
			ow_ubf_start(h, BFLD_PTR);

	return dir_bytes(plain, (uint64_t)count - wide + w->narrow,
			 (uint64_t)wide + w->wide) +
	       ow_ubf_range_bytes(h, 0, count) + w->bytes;
}

uint64_t ow_ubf_live(const struct Ubfh *h)
{
	return live_with(h, ow_ubf_plain(h), &nothing);
}

/* ---- holes ---- */

/* Copy a value to offset `off` of a new heap and update its entry; returns the
 * offset behind it. */
static uint32_t gather_one(const struct Ubfh *h, unsigned int type,
			   struct ow_ubf_ent *e, char *to, uint32_t off)
{
	struct ow_ubf_chunk c = ow_ubf_chunk_of(h, e);
	uint32_t room = (uint32_t)ow_ubf_taken(type, c.len);

	memcpy(to + off, ow_ubf_chunk_at(h, c), room);
	c.off = room > 0 ? off : 0;
	ow_ubf_chunk_write(h, e, c);
	return off + room;
}

static uint32_t gather(const struct Ubfh *h, unsigned int type, char *to,
		       uint32_t off)
{
	uint32_t i = ow_ubf_start(h, type), end = ow_ubf_start(h, type + 1);
	uint32_t width = ow_ubf_width(h, type), n, slot, k;
	struct ow_ubf_ent *e;

	for (; i < end; i += n) {
		n = ow_ubf_run(h, i, end - i, &slot);
		e = ow_ubf_ent_at(h, type, i);
		for (k = 0; k < n; k++, e = ow_ubf_ent_step(e, width, 1))
			off = gather_one(h, type, e, to, off);
	}
	return off;
}

/* Strings are copied last: then no other value needs padding before it. */
static int close_holes(struct Ubfh *h)
{
	OW_CLEANUP(ow_cleanup_freep) char *heap = NULL;
	uint32_t len = h->used - h->heap, was = len;

	heap = malloc((size_t)len + 1);
	if (heap == NULL)
		return -ENOMEM;
	len = gather(h, BFLD_CARRAY, heap, 0);
	len = gather(h, BFLD_UBF, heap, len);
	len = gather(h, BFLD_VIEW, heap, len);
	len = gather(h, BFLD_STRING, heap, len);
	memcpy(ow_ubf_heap(h), heap, len);
	memset(ow_ubf_heap(h) + len, 0, was - len);
	h->used = h->heap + len;
	ow_ubf_set_waste(h, 0);
	return 0;
}

/* ---- shape ---- */

static struct ow_ubf_shape shape_of(const struct Ubfh *h)
{
	struct ow_ubf_shape s;
	unsigned int i;

	for (i = 0; i < OW_UBF_ROWS; i++)
		s.row[i] = ow_ubf_span(h, i);
	return s;
}

/* Change the size of a flat directory of the plain form and the slot of its
 * first entry. */
static void reshape_plain(struct Ubfh *h, uint32_t slots, uint32_t first)
{
	uint32_t heap = OW_UBF_PLAIN_BASE + slots * OW_UBF_SLOT;
	uint32_t count = ow_ubf_count_plain(h), was = h->used;
	uint32_t len = h->used - h->heap;
	struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint32_t *from = ow_ubf_ids_plain(h) + dir->first;
	uint64_t *words = ow_ubf_words(h);
	uint32_t *ids = (uint32_t *)(words + slots);

	if (slots >= dir->slots) {
		memmove((char *)h + heap, ow_ubf_heap(h), len);
		memmove(ids + first, from, count * sizeof(*ids));
	}
	if (first != dir->first)
		memmove(words + first, words + dir->first,
			count * sizeof(*words));
	if (slots < dir->slots) {
		memmove(ids + first, from, count * sizeof(*ids));
		memmove((char *)h + heap, ow_ubf_heap(h), len);
	}
	h->used = heap + len;
	if (h->used < was)
		memset((char *)h + h->used, 0, was - h->used);
	h->heap = heap;
	dir->first = first;
	dir->slots = slots;
	ow_ubf_clear_spare(h);
}

int ow_ubf_flatten(struct Ubfh *h)
{
	uint32_t slots;

	if (!ow_ubf_paged(h))
		return 0;
	slots = (h->heap - OW_UBF_PLAIN_BASE) / OW_UBF_SLOT;
	return ow_ubf_pages_flatten(h, slots & ~1u);
}

int ow_ubf_compact(struct Ubfh *h, const struct ow_ubf_want *w)
{
	struct ow_ubf_shape s = { 0 };
	int r = ow_ubf_flatten(h);
	uint32_t slots;

	if (r == 0)
		r = close_holes(h);
	if (r < 0)
		return r;
	if (w == NULL)
		w = &nothing;
	slots = ow_ubf_count(h) + w->narrow + w->wide;
	if (ow_ubf_plain(h)) {
		reshape_plain(h, even(slots), 0);
		return 0;
	}
	s.row[OW_UBF_IDS].slots = slots;
	s.row[OW_UBF_NARROW].slots =
		ow_ubf_row_count(h, OW_UBF_NARROW) + w->narrow;
	s.row[OW_UBF_WIDE].slots = ow_ubf_row_count(h, OW_UBF_WIDE) + w->wide;
	ow_ubf_reshape_rows(h, &s);
	return 0;
}

/* ---- from one form to the other ---- */

/* Write the words of a dense buffer as those of a plain one. */
static void widen(struct Ubfh *h, const struct Ubfh *dense)
{
	uint64_t *to = ow_ubf_words(h);
	uint32_t i, count = ow_ubf_count(dense);
	const struct ow_ubf_ent *e;
	unsigned int type;

	for (i = 0; i < count; i++) {
		type = ow_ubf_id_type(ow_ubf_id_at(dense, i));
		e = ow_ubf_ent_at(dense, type, i);
		if (ow_ubf_type_fixed(type))
			memcpy(to + i, e, ow_ubf_width(dense, type));
		else
			ow_ubf_chunk_write(h, (struct ow_ubf_ent *)(to + i),
					   ow_ubf_chunk_of(dense, e));
	}
}

/* There is room. */
static int rewrite_plain(struct Ubfh *h)
{
	OW_CLEANUP(ow_cleanup_freep) struct Ubfh *dense = NULL;
	uint32_t count = ow_ubf_count(h), slots = even(count), t;
	struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint32_t heap = OW_UBF_PLAIN_BASE + slots * OW_UBF_SLOT;
	uint32_t len = h->used - h->heap;

	dense = malloc(h->used);
	if (dense == NULL)
		return -ENOMEM;
	memcpy(dense, h, h->used);
	memset(h + 1, 0, heap - sizeof(*h));
	*h = (struct Ubfh){ .magic = OW_UBF_MAGIC, .size = dense->size,
			    .used = heap + len, .heap = heap };
	*dir = (struct ow_ubf_dir){ .waste = ow_ubf_waste(dense),
				    .slots = slots };
	for (t = 0; t < OW_UBF_STARTS; t++)
		dir->start[t] = dense->start[t];
	memcpy(ow_ubf_ids(h), ow_ubf_ids(dense) + ow_ubf_first(dense),
	       count * sizeof(uint32_t));
	widen(h, dense);
	memcpy(ow_ubf_heap(h), ow_ubf_heap(dense), len);
	if (h->used < dense->used)
		memset((char *)h + h->used, 0, dense->used - h->used);
	return 0;
}

int ow_ubf_make_plain(struct Ubfh *h)
{
	uint64_t n = dir_bytes(1, ow_ubf_count(h), 0);
	int r = 0;

	if (ow_ubf_plain(h))
		return 0;
	if (live_with(h, 1, &nothing) > h->size)
		return -ENOSPC;
	if (n + h->used - h->heap > h->size)
		r = close_holes(h);
	return r < 0 ? r : rewrite_plain(h);
}

/* The pages may take half of the free space. If they had less than an eighth of
 * room to grow, the directory would be rewritten too often. */
int ow_ubf_paginate(struct Ubfh *h, uint64_t bytes)
{
	uint64_t count = ow_ubf_count(h), room, pages, n;
	int r;

	n = ow_ubf_plain(h) ? h->used
			    : dir_bytes(1, count, 0) + h->used - h->heap;
	if (n + bytes > h->size)
		return -ENOSPC;
	room = n - (h->used - h->heap) - OW_UBF_PLAIN_BASE +
	       (h->size - n - bytes) / 2;
	room = room > OW_UBF_ALIGN ? room - OW_UBF_ALIGN : 0;
	pages = room / (OW_UBF_PAGE * OW_UBF_SLOT + OW_UBF_INDEX);
	if (pages > (count + count / 2) / OW_UBF_PAGE + 2)
		pages = (count + count / 2) / OW_UBF_PAGE + 2;
	if (pages * OW_UBF_PAGE < count + count / 8 + OW_UBF_PAGE ||
	    pages * OW_UBF_PAGE <= OW_UBF_FLAT_MAX)
		return -ENOSPC;
	r = ow_ubf_make_plain(h);
	return r < 0 ? r : ow_ubf_pages_lay(h, (uint32_t)pages * OW_UBF_PAGE);
}

/* ---- reserve ---- */

/* If pages or space are short, make the directory flat and close the holes. */
static int reserve_paged(struct Ubfh *h, const struct ow_ubf_want *w)
{
	uint32_t k = w->narrow + w->wide;

	if (k <= 1 && h->size - h->used >= w->bytes &&
	    (k == 0 || ow_ubf_dir(h)->pages < ow_ubf_pages_max(h) ||
	     ow_ubf_paginate(h, w->bytes) == 0))
		return 0;
	if (live_with(h, 1, w) > h->size)
		return -ENOSPC;
	return ow_ubf_compact(h, w);
}

/* Add slots to a row on the side of entry `at`: `lack`, and more if `may` bytes
 * suffice: as many as it has, at least `least`. */
static void grow_row(struct ow_ubf_span *s, uint32_t n, uint32_t at,
		     uint32_t lack, uint32_t least, uint64_t may)
{
	uint32_t extra = s->slots < SLOTS_DOUBLED ? s->slots : s->slots / 4;

	if (extra < SLOTS_MIN)
		extra = SLOTS_MIN;
	if (extra < least)
		extra = least;
	if (extra < lack)
		extra = lack;
	if (extra - lack > may)
		extra = lack + (uint32_t)may;
	if (at < n - at)
		s->first += extra;
	s->slots += extra;
}

/* Slots that a row lacks for k more entries. */
static uint32_t lack_of(const struct Ubfh *h, unsigned int row, uint32_t k)
{
	uint32_t spare = ow_ubf_span(h, row).slots - ow_ubf_row_count(h, row);

	return k > spare ? k - spare : 0;
}

/* A row of words gets as many free slots as there are free ids, so that both
 * seldom grow. `room`: free bytes besides those that the lack takes. */
static void grow_dense(struct Ubfh *h, uint32_t at, const uint32_t *lack,
		       uint64_t room)
{
	struct ow_ubf_shape s = shape_of(h);
	uint32_t count = ow_ubf_count(h), i, n, spare;
	uint64_t may = room / 4 / OW_UBF_SLOT;

	if (lack[OW_UBF_IDS] > 0)
		grow_row(s.row + OW_UBF_IDS, count, at, lack[OW_UBF_IDS], 0,
			 may);
	spare = s.row[OW_UBF_IDS].slots - count;
	for (i = OW_UBF_NARROW; i < OW_UBF_ROWS; i++) {
		n = ow_ubf_row_count(h, i);
		if (lack[i] > 0)
			grow_row(s.row + i, n, at < count ? n * at / count : n,
				 lack[i], spare, may);
	}
	ow_ubf_reshape_rows(h, &s);
}

/* Make room in the dense form, which stays. */
static int fit_dense(struct Ubfh *h, uint32_t at, const struct ow_ubf_want *w)
{
	uint32_t limit = ow_ubf_limit(h), i;
	uint32_t lack[OW_UBF_ROWS] = {
		lack_of(h, OW_UBF_IDS, w->narrow + w->wide),
		lack_of(h, OW_UBF_NARROW, w->narrow),
		lack_of(h, OW_UBF_WIDE, w->wide),
	};
	struct ow_ubf_shape s = shape_of(h);
	uint64_t need = (uint64_t)h->used + w->bytes;

	if (need <= limit && lack[0] + lack[1] + lack[2] == 0)
		return 0;
	for (i = 0; i < OW_UBF_ROWS; i++)
		need += (uint64_t)lack[i] * ow_ubf_row_width(i);
	for (i = 0; i < OW_UBF_ROWS && need <= limit; i++)
		s.row[i].slots += lack[i];
	if (need <= limit)	/* the exact size, with padding */
		need = (uint64_t)ow_ubf_rows_end(&s) + h->used - h->heap +
		       w->bytes;
	if (need > limit)
		return live_with(h, 0, w) > limit ? -ENOSPC
						  : ow_ubf_compact(h, w);
	grow_dense(h, at, lack, limit - need);
	return 0;
}

/* Add slots to the plain form on the side of rank `at`: at least `lack`, at
 * most `may`. */
static void grow_plain(struct Ubfh *h, uint32_t at, uint32_t lack, uint64_t may)
{
	const struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint32_t want = dir->slots < SLOTS_DOUBLED ? dir->slots
						   : dir->slots / 4;
	uint32_t extra;

	if (want < SLOTS_MIN)
		want = SLOTS_MIN;
	if (want < lack)
		want = lack;
	extra = (uint32_t)(want < may ? want : may);
	extra = extra > lack ? extra & ~1u : lack;
	reshape_plain(h, dir->slots + extra,
		      at < ow_ubf_count_plain(h) - at ? dir->first + extra
						: dir->first);
}

/* The same in the plain form, in a flat directory. */
static int fit_plain(struct Ubfh *h, uint32_t at, const struct ow_ubf_want *w)
{
	uint32_t k = w->narrow + w->wide;
	uint32_t spare = ow_ubf_dir(h)->slots - ow_ubf_count_plain(h);
	uint32_t lack = k > spare ? even(k - spare) : 0;
	uint64_t need = h->used + (uint64_t)lack * OW_UBF_SLOT + w->bytes;

	if (need > h->size)
		return live_with(h, 1, w) > h->size ? -ENOSPC
						    : ow_ubf_compact(h, w);
	if (lack > 0)
		grow_plain(h, at, lack,
			   lack + (h->size - need) / OW_UBF_SLOT / 4);
	return 0;
}

/* Copy the entries to an empty dense buffer with room for them and w. */
static int fill_dense(struct Ubfh *h, uint32_t size, const struct Ubfh *from,
		      const struct ow_ubf_want *all)
{
	int r;

	ow_ubf_init_form(h, size, 0);
	r = fit_dense(h, 0, all);
	if (r == 0 && from != NULL)
		ow_ubf_append_reserved(h, from, 0, ow_ubf_count(from));
	return r;
}

/* A plain buffer has no room for w: if a dense one has, rewrite the buffer. */
static int make_dense(struct Ubfh *h, const struct ow_ubf_want *w)
{
	OW_CLEANUP(ow_cleanup_freep) struct Ubfh *copy = NULL;
	struct ow_ubf_want all = *w;
	uint64_t n;

	ow_ubf_range_want(h, 0, ow_ubf_count(h), &all);
	n = dir_bytes(0, all.narrow, all.wide) + all.bytes;
	if (n > h->size ||
	    !dense_enough(n, (uint64_t)all.narrow + all.wide, all.longest))
		return -ENOSPC;
	if (ow_ubf_count(h) == 0)
		return fill_dense(h, h->size, NULL, &all);
	copy = malloc(h->used);
	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, h, h->used);
	memset(h + 1, 0, h->used - sizeof(*h));
	return fill_dense(h, h->size, copy, &all);
}

static int reserve_plain(struct Ubfh *h, uint32_t at,
			 const struct ow_ubf_want *w)
{
	int r = ow_ubf_paged(h) ? reserve_paged(h, w) : fit_plain(h, at, w);

	return r == -ENOSPC ? make_dense(h, w) : r;
}

/* Whether the plain form takes at most half of the memory. */
static int is_roomy(const struct Ubfh *h, const struct ow_ubf_want *w)
{
	uint64_t count = (uint64_t)ow_ubf_count(h) + w->narrow + w->wide;
	uint64_t n = dir_bytes(1, count, 0) + w->bytes + h->used - h->heap;

	return h->size >= OW_UBF_TINY && n <= h->size / 2;
}

static int reserve_dense(struct Ubfh *h, uint32_t at,
			 const struct ow_ubf_want *w)
{
	uint64_t count = ow_ubf_count(h);
	int r = -ENOSPC;

	if (is_roomy(h, w) && ow_ubf_make_plain(h) == 0)
		return fit_plain(h, at, w);
	if (dense_enough(0, count + w->narrow + w->wide, w->longest))
		r = fit_dense(h, at, w);
	if (r != -ENOSPC || live_with(h, 1, w) > h->size)
		return r;
	r = ow_ubf_make_plain(h);
	return r < 0 ? r : fit_plain(h, at, w);
}

int ow_ubf_reserve(struct Ubfh *h, uint32_t at, const struct ow_ubf_want *w)
{
	uint64_t count = ow_ubf_count(h), k = (uint64_t)w->narrow + w->wide;

	if (count + k > UINT32_MAX / OW_UBF_SLOT)
		return -ENOSPC;
	if (!ow_ubf_paged(h) && k == 1 && ow_ubf_far(h, at, 0) &&
	    ow_ubf_paginate(h, w->bytes) == 0)
		return 0;
	return ow_ubf_plain(h) ? reserve_plain(h, at, w)
			       : reserve_dense(h, at, w);
}

int ow_ubf_reserve_exact(struct Ubfh *h, const struct ow_ubf_want *w)
{
	uint64_t k = (uint64_t)ow_ubf_count(h) + w->narrow + w->wide;
	struct ow_ubf_want slots = *w;
	int r = 0;

	slots.bytes = 0;
	if (ow_ubf_plain(h) && live_with(h, 1, w) > h->size)
		r = make_dense(h, w);
	else if (!ow_ubf_plain(h) && (!dense_enough(0, k, w->longest) ||
				      live_with(h, 0, w) > ow_ubf_limit(h)))
		r = -ENOSPC;
	return r < 0 ? r : ow_ubf_compact(h, &slots);
}

void ow_ubf_put_exact(struct Ubfh *h, uint32_t at, struct ow_ubf_val v)
{
	unsigned int type = ow_ubf_id_type(ow_ubf_id_at(h, at));
	uint32_t i = ow_ubf_start(h, BFLD_STRING);
	uint32_t end = ow_ubf_start(h, BFLD_STRING + 1);
	uint32_t strings = (uint32_t)ow_ubf_range_bytes(h, i, end - i);
	uint32_t taken = (uint32_t)ow_ubf_taken(type, v.len);
	struct ow_ubf_chunk c;
	struct ow_ubf_ent *e;
	char *to;

	for (; i < end; i++) {
		e = ow_ubf_ent_at(h, BFLD_STRING, i);
		c = ow_ubf_chunk_of(h, e);
		c.off += taken;
		ow_ubf_chunk_write(h, e, c);
	}
	c = (struct ow_ubf_chunk){ h->used - h->heap - strings,
				   (uint32_t)v.len };
	to = ow_ubf_chunk_at(h, c);
	memmove(to + taken, to, strings);
	ow_ubf_copy_in(to, type, v);
	ow_ubf_chunk_write(h, ow_ubf_ent_at(h, type, at), c);
	h->used += taken;
}

void ow_ubf_tidy(struct Ubfh *h)
{
	uint32_t count = ow_ubf_count(h), waste = ow_ubf_waste(h);
	uint32_t spare = (h->heap - (uint32_t)sizeof(*h)) / OW_UBF_SLOT;

	/* An empty buffer needs no temporary memory, so this cannot fail. */
	if (count == 0) {
		memset(h + 1, 0, h->used - sizeof(*h));
		(void)ow_ubf_init(h, h->size);
		return;
	}
	spare = spare > count ? spare - count : 0;
	if (spare > SPARE_MAX && spare > 2 * count)
		(void)ow_ubf_compact(h, NULL);
	else if (waste > WASTE_MAX && waste > (h->used - h->heap) / 2)
		(void)close_holes(h);
}
