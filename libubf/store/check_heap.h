/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_heap.h - check the values of a foreign buffer
 *
 * check.c has checked the directory before: its ids, its form, and that it lies
 * in the buffer. Results are 0, -EBADMSG, -ENOMEM.
 */
#ifndef OW_UBF_CHECK_HEAP_H
#define OW_UBF_CHECK_HEAP_H

#include "libubf/store/layout.h"

#define OW_UBF_EXTENTS 32	/* with more, a bitmap finds overlaps */

struct ow_ubf_extent {
	uint32_t lo, hi;
};

/* The state after some entries. An extent is a run of chunks that lie one
 * behind the other in order of their entries. */
struct ow_ubf_heap_check {
	const char *at;
	uint32_t size;
	uint32_t now_hi;	/* end of the current extent */
	uint64_t sum;		/* sizes of the extents before */
	uint32_t lo, hi;	/* bounds of the extents before */
	int outwards;		/* each extent lies above or below all before */
	uint32_t count;
	uint32_t now_lo;	/* its begin. Not beside now_hi: a load of both
				 * would wait for the store of one */
	int depth;
	struct ow_ubf_extent list[OW_UBF_EXTENTS];	/* the first extents */
};

static inline void ow_ubf_check_begin(const struct Ubfh *h, int depth,
				      struct ow_ubf_heap_check *heap)
{
	heap->at = ow_ubf_heap(h);
	heap->size = h->used - h->heap;
	heap->depth = depth;
	heap->now_lo = heap->now_hi = 0;
	heap->outwards = 1;
	heap->count = 0;
	heap->sum = 0;
}

/* Check the values of n entries of one heap type, whose words are those of the
 * plain or of the dense form. */
int ow_ubf_check_values(struct ow_ubf_heap_check *heap, unsigned int type,
			const struct ow_ubf_ent *e, uint32_t n, int plain);
/* Call after all values: checks that no chunks overlap and that `waste` is the
 * rest of the heap. */
int ow_ubf_check_heap(const struct Ubfh *h, struct ow_ubf_heap_check *heap);
/* Check a buffer that is embedded `depth` times (check.c). */
int ow_ubf_check_level(const void *buf, size_t len, int depth);

#endif
