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

#include "libubf/store/bulk.h"
#include "libubf/base/cleanup.h"
#include "libubf/store/pages.h"
#include "libubf/store/slots.h"

#define SLOTS_MIN 8
#define SLOTS_DOUBLED 64	/* slots; above, a quarter is added */
#define SPARE_MAX 64	/* so many free slots are always kept */
#define WASTE_MAX 512	/* so many bytes of holes are always kept */

/* A flat directory has an even number of slots, so that the heap is aligned. */
static uint32_t even(uint64_t n)
{
	return (uint32_t)(n + (n & 1));
}

/* Bytes of the buffer without holes and free slots, but with k more entries. */
static uint64_t live_with(const struct Ubfh *h, uint32_t k)
{
	uint32_t count = ow_ubf_count(h);
	uint32_t slots = even((uint64_t)count + k);

	return ow_ubf_base(slots) + (uint64_t)slots * OW_UBF_SLOT +
	       ow_ubf_range_bytes(h, 0, count);
}

uint64_t ow_ubf_live(const struct Ubfh *h)
{
	return live_with(h, 0);
}

/* Copy a value to offset `off` of a new heap and update its entry; returns the
 * offset behind it. */
static uint32_t gather_one(const struct Ubfh *h, uint32_t slot, char *to,
			   uint32_t off)
{
	unsigned int type = ow_ubf_id_type((BFLDID)ow_ubf_ids(h)[slot]);
	struct ow_ubf_ent *e = ow_ubf_words(h) + slot;
	uint32_t room;

	if (ow_ubf_type_fixed(type))
		return off;
	room = (uint32_t)ow_ubf_room(type, e->u.chunk.len);
	memcpy(to + off, ow_ubf_chunk(h, e), room);
	e->u.chunk.off = room > 0 ? off : 0;
	return off + room;
}

static uint32_t gather(const struct Ubfh *h, uint32_t from, uint32_t end,
		       char *to, uint32_t off)
{
	uint32_t n, slot, i;

	for (; from < end; from += n) {
		n = ow_ubf_run(h, from, end - from, &slot);
		for (i = 0; i < n; i++)
			off = gather_one(h, slot + i, to, off);
	}
	return off;
}

/* Strings are copied last: then no other value needs padding before it. */
static int close_holes(struct Ubfh *h)
{
	OW_CLEANUP(ow_cleanup_freep) char *heap = NULL;
	uint32_t len = h->used - h->heap, was = len;
	uint32_t strings = ow_ubf_start(h, BFLD_STRING);
	uint32_t others = ow_ubf_start(h, BFLD_CARRAY);

	heap = malloc((size_t)len + 1);
	if (heap == NULL)
		return -ENOMEM;
	len = gather(h, others, ow_ubf_count(h), heap, 0);
	len = gather(h, strings, others, heap, len);
	memcpy(ow_ubf_heap(h), heap, len);
	memset(ow_ubf_heap(h) + len, 0, was - len);
	h->used = h->heap + len;
	h->waste = 0;
	return 0;
}

/* Change the size of a flat directory and the slot of its first entry.
 * Arrays that move up are moved from the last, arrays that move down from
 * the first. */
static void reshape(struct Ubfh *h, uint32_t slots, uint32_t first)
{
	uint32_t heap = ow_ubf_base(slots) + slots * OW_UBF_SLOT;
	uint32_t count = ow_ubf_count(h), was = h->used;
	uint32_t len = h->used - h->heap, start[OW_UBF_STARTS];
	struct ow_ubf_ent *old = ow_ubf_words(h) + h->first;
	struct ow_ubf_ent *words = (void *)((char *)h + ow_ubf_base(slots));
	uint32_t *from = ow_ubf_ids(h) + h->first;
	uint32_t *ids = (uint32_t *)(words + slots);

	ow_ubf_get_starts(h, start);
	if (slots >= h->slots) {
		memmove((char *)h + heap, ow_ubf_heap(h), len);
		memmove(ids + first, from, count * sizeof(*ids));
	}
	if (words + first != old)
		memmove(words + first, old, count * sizeof(*words));
	if (slots < h->slots) {
		memmove(ids + first, from, count * sizeof(*ids));
		memmove((char *)h + heap, ow_ubf_heap(h), len);
	}
	h->used = heap + len;
	if (h->used < was)
		memset((char *)h + h->used, 0, was - h->used);
	h->heap = heap;
	h->first = first;
	h->slots = slots;
	ow_ubf_set_starts(h, start);
	ow_ubf_clear_spare(h);
}

int ow_ubf_flatten(struct Ubfh *h)
{
	uint32_t slots = (h->heap - ow_ubf_base(h->slots)) / OW_UBF_SLOT;

	return h->pages > 0 ? ow_ubf_pages_flatten(h, slots & ~1u) : 0;
}

int ow_ubf_compact(struct Ubfh *h, uint32_t slots)
{
	int r = ow_ubf_flatten(h);

	if (r == 0)
		r = close_holes(h);
	if (r == 0)
		reshape(h, even(slots), 0);
	return r;
}

/* The pages may take half of the free space. If they had less than an eighth of
 * room to grow, the directory would be rewritten too often. */
int ow_ubf_paginate(struct Ubfh *h, uint64_t bytes)
{
	uint64_t count = ow_ubf_count(h), room = h->size - h->used, pages;

	if (room < bytes)
		return -ENOSPC;
	room = h->heap - sizeof(*h) + (room - bytes) / 2;
	room -= OW_UBF_ALIGN + sizeof(struct ow_ubf_large);
	pages = room / (OW_UBF_PAGE * OW_UBF_SLOT + OW_UBF_INDEX);
	if (pages > (count + count / 2) / OW_UBF_PAGE + 2)
		pages = (count + count / 2) / OW_UBF_PAGE + 2;
	if (pages > UINT16_MAX)
		pages = UINT16_MAX;
	if (pages * OW_UBF_PAGE < count + count / 8 + OW_UBF_PAGE ||
	    pages * OW_UBF_PAGE <= OW_UBF_FLAT_MAX)
		return -ENOSPC;
	return ow_ubf_pages_lay(h, (uint32_t)pages * OW_UBF_PAGE);
}

/* If pages or space are short, make the directory flat and close the holes. */
static int reserve_paged(struct Ubfh *h, uint32_t k, uint64_t bytes)
{
	if (k <= 1 && h->size - h->used >= bytes &&
	    (k == 0 || h->pages < ow_ubf_pages_max(h) ||
	     ow_ubf_paginate(h, bytes) == 0))
		return 0;
	if (live_with(h, k) + bytes > h->size)
		return -ENOSPC;
	return ow_ubf_compact(h, ow_ubf_count(h) + k);
}

/* Add slots to a flat directory on the side of rank `at`: at least `lack`, at
 * most `may`. */
static void grow(struct Ubfh *h, uint32_t at, uint32_t lack, uint64_t may)
{
	uint32_t want = h->slots < SLOTS_DOUBLED ? h->slots : h->slots / 4;
	uint32_t extra;

	if (want < SLOTS_MIN)
		want = SLOTS_MIN;
	if (want < lack)
		want = lack;
	extra = (uint32_t)(want < may ? want : may);
	extra = extra > lack ? extra & ~1u : lack;
	if (ow_ubf_base(h->slots + extra) > ow_ubf_base(h->slots + lack))
		extra = lack;
	reshape(h, h->slots + extra,
	      at < ow_ubf_count(h) - at ? h->first + extra : h->first);
}

int ow_ubf_reserve(struct Ubfh *h, uint32_t at, uint32_t k, uint64_t bytes)
{
	uint32_t count = ow_ubf_count(h), spare = h->slots - count;
	uint32_t lack = k > spare ? even(k - spare) : 0;
	uint64_t need = h->used + (uint64_t)lack * OW_UBF_SLOT + bytes +
			ow_ubf_base(h->slots + lack) - ow_ubf_base(h->slots);

	if (h->pages > 0)
		return reserve_paged(h, k, bytes);
	if (k == 1 && ow_ubf_far(h, at, 0) && ow_ubf_paginate(h, bytes) == 0)
		return 0;
	if (need > h->size) {
		if (live_with(h, k) + bytes > h->size)
			return -ENOSPC;
		return ow_ubf_compact(h, count + k);
	}
	if (lack > 0)
		grow(h, at, lack, lack + (h->size - need) / OW_UBF_SLOT / 4);
	return 0;
}

void ow_ubf_tidy(struct Ubfh *h)
{
	uint32_t count = ow_ubf_count(h);
	uint32_t spare = h->slots - count;

	/* An empty buffer needs no temporary memory, so this cannot fail. */
	if (count == 0) {
		memset((char *)h + sizeof(*h), 0, h->used - sizeof(*h));
		h->first = h->slots = h->waste = 0;
		h->pages = 0;
		memset(h->start, 0, sizeof(h->start));
		h->used = h->heap = sizeof(*h);
		return;
	}
	if (spare > SPARE_MAX && spare > 2 * count)
		(void)ow_ubf_compact(h, count);
	else if (h->waste > WASTE_MAX && h->waste > (h->used - h->heap) / 2)
		(void)close_holes(h);
}
