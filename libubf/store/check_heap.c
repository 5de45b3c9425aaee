/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_heap.c - check the values of a foreign buffer
 *
 * In most buffers each value begins where the one before ended: that is the
 * fast path. But chunks may lie in any order. If they only ascend or descend,
 * they cannot overlap; else a few extents are sorted, and for many each chunk
 * sets its bits in a bitmap of the heap.
 */
#include "libubf/store/check_heap.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/store/check_strings.h"
#include "libubf/viewdef/field.h"

/* Check the bytes of one value. */
static int check_inside(unsigned int type, const char *p, uint32_t len,
			int depth)
{
	switch (type) {
	case BFLD_STRING:
		return ow_ubf_is_string(p, len) ? 0 : -EBADMSG;
	case BFLD_CARRAY:
		return 0;
	case BFLD_UBF:
		if (len < sizeof(struct Ubfh) ||
		    ((const struct Ubfh *)p)->size != len)
			return -EBADMSG;
		return ow_ubf_check_level(p, len, depth + 1);
	case BFLD_VIEW:
		return ow_ubf_view_check((struct ow_ubf_val){ p, len });
	default:
		return -EBADMSG;
	}
}

/* Set *ret_cap to the bytes of a chunk; -EBADMSG if it is not in the heap. */
static int check_bounds(const struct ow_ubf_heap_check *heap, unsigned int type,
			struct ow_ubf_chunk c, uint64_t *ret_cap)
{
	uint32_t off = c.off & ~OW_UBF_LOOSE, spare = 0;
	uint32_t align = ow_ubf_type_align(type);
	uint64_t cap = ow_ubf_taken(type, c.len);

	if (off % align != 0 || off + cap > heap->size || c.len > INT32_MAX)
		return -EBADMSG;
	if (c.off & OW_UBF_LOOSE) {
		if (off + cap + sizeof(spare) > heap->size)
			return -EBADMSG;
		memcpy(&spare, heap->at + off + cap, sizeof(spare));
		if (spare == 0 || spare % align != 0 ||
		    off + cap + spare > heap->size)
			return -EBADMSG;
	}
	*ret_cap = cap + spare;
	return 0;
}

/* End the current extent: the next chunk does not follow it. */
static inline void close_extent(struct ow_ubf_heap_check *heap)
{
	uint32_t lo = heap->now_lo, hi = heap->now_hi;

	if (lo == hi)
		return;
	if (heap->count == 0) {
		heap->lo = lo;
		heap->hi = hi;
	} else if (lo >= heap->hi) {
		heap->hi = hi;
	} else if (hi <= heap->lo) {
		heap->lo = lo;
	} else {
		heap->outwards = 0;
	}
	if (heap->count < OW_UBF_EXTENTS)
		heap->list[heap->count] = (struct ow_ubf_extent){ lo, hi };
	heap->count++;
	heap->sum += hi - lo;
}

static int check_chunk(struct ow_ubf_heap_check *heap, unsigned int type,
		       struct ow_ubf_chunk c)
{
	uint32_t off = c.off & OW_UBF_OFF_MASK;
	uint64_t cap;

	if (check_bounds(heap, type, c, &cap) < 0 || (cap == 0 && off != 0))
		return -EBADMSG;
	if (cap > 0 && off != heap->now_hi) {
		close_extent(heap);
		heap->now_lo = off;
	}
	if (cap > 0)
		heap->now_hi = off + (uint32_t)cap;
	return check_inside(type, heap->at + off, c.len, heap->depth);
}

static inline __attribute__((always_inline)) int
check_values(struct ow_ubf_heap_check *heap, unsigned int type,
	     const struct ow_ubf_ent *e, uint32_t n, int plain)
{
	const uint32_t width = plain ? 8 : 4;
	int r = 0;

	while (n > 0 && r == 0) {
		uint32_t k = type != BFLD_STRING
				     ? 0
				     : ow_ubf_strings_in_a_row(
					       heap->at, heap->size, e, n,
					       plain, &heap->now_hi);

		e = ow_ubf_ent_step(e, width, k);
		n -= k;
		if (n == 0)
			break;
		r = check_chunk(heap, type, ow_ubf_chunk_read(e, plain));
		e = ow_ubf_ent_step(e, width, 1);
		n--;
	}
	return r;
}

static __attribute__((noinline)) int
check_values_dense(struct ow_ubf_heap_check *heap, unsigned int type,
		   const struct ow_ubf_ent *e, uint32_t n)
{
	return check_values(heap, type, e, n, 0);
}

int ow_ubf_check_values(struct ow_ubf_heap_check *heap, unsigned int type,
			const struct ow_ubf_ent *e, uint32_t n, int plain)
{
	return plain ? check_values(heap, type, e, n, 1)
		     : check_values_dense(heap, type, e, n);
}

/* ---- overlap ---- */

/* Sort a few extents: -EBADMSG if they overlap. */
static int check_extents(struct ow_ubf_extent *list, uint32_t n)
{
	uint32_t i, k;

	for (i = 1; i < n; i++) {
		struct ow_ubf_extent x = list[i];

		for (k = i; k > 0 && list[k - 1].lo > x.lo; k--)
			list[k] = list[k - 1];
		list[k] = x;
	}
	for (i = 1; i < n; i++) {
		if (list[i - 1].hi > list[i].lo)
			return -EBADMSG;
	}
	return 0;
}

/* Set the bits of a chunk; -EBADMSG if one is set already: an overlap. */
static int mark(uint64_t *map, uint32_t off, uint32_t cap)
{
	uint32_t bit = off / OW_UBF_HEAP_UNIT, left = cap / OW_UBF_HEAP_UNIT, n;
	uint64_t mask;

	for (; left > 0; left -= n, bit += n) {
		n = 64 - bit % 64;
		n = n < left ? n : left;
		mask = ~(uint64_t)0 >> (64 - n) << bit % 64;
		if (map[bit / 64] & mask)
			return -EBADMSG;
		map[bit / 64] |= mask;
	}
	return 0;
}

static int mark_type(const struct Ubfh *h, uint64_t *map, unsigned int type)
{
	uint32_t i = ow_ubf_start(h, type), end = ow_ubf_start(h, type + 1);
	uint32_t width = ow_ubf_width(h, type), n, slot, k;
	struct ow_ubf_chunk c;
	struct ow_ubf_ent *e;
	int r = 0;

	for (; i < end && r == 0; i += n) {
		n = ow_ubf_run(h, i, end - i, &slot);
		e = ow_ubf_ent_at(h, type, i);
		for (k = 0; k < n && r == 0; k++) {
			c = ow_ubf_chunk_of(h, ow_ubf_ent_step(e, width, k));
			r = mark(map, c.off & OW_UBF_OFF_MASK,
				 (uint32_t)ow_ubf_taken(type, c.len) +
				     ow_ubf_spare(h, type, c));
		}
	}
	return r;
}

static int check_bitmap(const struct Ubfh *h)
{
	OW_CLEANUP(ow_cleanup_freep) uint64_t *map = NULL;
	unsigned int type;
	int r = 0;

	map = calloc((h->used - h->heap) / OW_UBF_HEAP_UNIT / 64 + 1,
		     sizeof(*map));
	if (map == NULL)
		return -ENOMEM;
	for (type = BFLD_STRING; type <= BFLD_MAX && r == 0; type++) {
		if (!ow_ubf_type_fixed(type))
			r = mark_type(h, map, type);
	}
	return r;
}

int ow_ubf_check_heap(const struct Ubfh *h, struct ow_ubf_heap_check *heap)
{
	close_extent(heap);
	if (heap->sum > heap->size || ow_ubf_waste(h) != heap->size - heap->sum)
		return -EBADMSG;
	if (heap->outwards)
		return 0;
	if (heap->count > OW_UBF_EXTENTS)
		return check_bitmap(h);
	return check_extents(heap->list, heap->count);
}

