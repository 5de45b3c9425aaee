/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space.c - grow the directory, close holes: the slow paths of store.c
 *
 * Compaction writes the live chunks in order of their entries to temporary
 * memory and copies them back: one pass, however they were mixed. It runs
 * when space is short, or when what it gains is as much as what it copies.
 */
#include "libubf/store.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/cleanup.h"

#define SLOTS_MIN 8
#define SLOTS_DOUBLED 64	/* up to here twice as many, then half more */
#define SPARE_MAX 64	/* free slots that are never too many */
#define WASTE_MAX 512	/* hole bytes that are never too many */

uint64_t ow_ubf_live(const struct Ubfh *h)
{
	const struct ow_ubf_ent *dir = ow_ubf_dir(h);
	uint32_t i, count = ow_ubf_count(h);
	uint64_t live = sizeof(*h) + (uint64_t)count * sizeof(*dir);

	for (i = h->start[BFLD_STRING]; i < count; i++) {
		if (!ow_ubf_type_fixed(ow_ubf_id_type((BFLDID)dir[i].id)))
			live += ow_ubf_round(dir[i].len);
	}
	return live;
}

/* Copy the values to `to` in order and let the entries point there. */
static uint32_t gather(const struct Ubfh *h, char *to)
{
	struct ow_ubf_ent *e = ow_ubf_dir(h);
	struct ow_ubf_ent *end = e + ow_ubf_count(h);
	char *heap = ow_ubf_heap(h);
	uint32_t off = 0, cap;

	for (e += h->start[BFLD_STRING]; e < end; e++) {
		if (ow_ubf_type_fixed(ow_ubf_id_type((BFLDID)e->id)))
			continue;
		cap = (uint32_t)ow_ubf_round(e->len);
		memcpy(to + off, heap + e->u.chunk.off, cap);
		e->u.chunk.off = cap > 0 ? off : 0;
		e->u.chunk.cap = cap;
		off += cap;
	}
	return off;
}

int ow_ubf_compact(struct Ubfh *h, uint32_t slots)
{
	OW_CLEANUP(ow_cleanup_freep) char *heap = NULL;
	struct ow_ubf_ent *dir = ow_ubf_dir(h), *slot0 = dir - h->first;
	uint32_t count = ow_ubf_count(h), len, was = h->used;

	heap = malloc(h->used - ow_ubf_heap_base(h) + 1);
	if (heap == NULL)
		return -ENOMEM;
	len = gather(h, heap);
	memmove(slot0, dir, count * sizeof(*dir));
	memset(slot0 + count, 0, (slots - count) * sizeof(*dir));
	h->first = 0;
	h->slots = slots;
	h->waste = 0;
	memcpy(ow_ubf_heap(h), heap, len);
	h->used = ow_ubf_heap_base(h) + len;
	if (h->used < was)
		memset((char *)h + h->used, 0, was - h->used);
	return 0;
}

/* Add slots before or behind the entries: where the insertion is. */
static void grow_dir(struct Ubfh *h, uint32_t at, uint32_t extra)
{
	uint32_t count = ow_ubf_count(h);
	struct ow_ubf_ent *dir = ow_ubf_dir(h);
	struct ow_ubf_ent *end = dir - h->first + h->slots;
	uint32_t by = extra * (uint32_t)sizeof(*dir);

	memmove((char *)end + by, end, (char *)h + h->used - (char *)end);
	if (at < count - at) {
		memmove(dir + extra, dir, count * sizeof(*dir));
		memset(dir, 0, by);
		h->first += extra;
	} else {
		memset(end, 0, by);
	}
	h->slots += extra;
	h->used += by;
}

int ow_ubf_reserve(struct Ubfh *h, uint32_t at, uint32_t k, uint64_t bytes)
{
	uint32_t count = ow_ubf_count(h);
	uint32_t spare = h->slots - count;
	uint64_t slot = sizeof(struct ow_ubf_ent);
	uint64_t lack = k > spare ? k - spare : 0;
	uint64_t need = h->used + lack * slot + bytes;
	uint64_t want, may;

	if (need > h->size) {
		if (ow_ubf_live(h) + k * slot + bytes > h->size)
			return -ENOSPC;
		return ow_ubf_compact(h, count + k);
	}
	if (lack == 0)
		return 0;
	want = h->slots < SLOTS_DOUBLED ? h->slots : h->slots / 2;
	if (want < SLOTS_MIN)
		want = SLOTS_MIN;
	may = lack + (h->size - need) / slot / 4;
	if (want < lack)
		want = lack;
	grow_dir(h, at, (uint32_t)(want < may ? want : may));
	return 0;
}

void ow_ubf_tidy(struct Ubfh *h)
{
	uint32_t count = ow_ubf_count(h);
	uint32_t spare = h->slots - count;
	uint32_t heap = h->used - ow_ubf_heap_base(h);

	/* Nothing left to copy: needs no memory, so it cannot fail. */
	if (count == 0) {
		memset((char *)h + sizeof(*h), 0, h->used - sizeof(*h));
		h->first = h->slots = h->waste = 0;
		h->used = sizeof(*h);
		return;
	}
	if ((spare > SPARE_MAX && spare > 2 * count) ||
	    (h->waste > WASTE_MAX && h->waste > heap / 2))
		(void)ow_ubf_compact(h, count);
}
