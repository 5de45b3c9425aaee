/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_heap.h - test the values of a buffer from elsewhere (check.c)
 *
 * The directory has been tested before: ids, forms, and that all of it lies in
 * the buffer. Results are 0, -EBADMSG, -ENOMEM.
 */
#ifndef OW_UBF_CHECK_HEAP_H
#define OW_UBF_CHECK_HEAP_H

#include "libubf/store/layout.h"

#define OW_UBF_HEAP_UNIT 4u	/* places and sizes of chunks are multiples */
#define OW_UBF_EXTENTS 32	/* with more, a bitmap tells what overlaps */

struct ow_ubf_extent {
	uint32_t lo, hi;
};

/* What is known after some entries. Chunks that lie one behind the other in
 * order of their entries make up an extent. */
struct ow_ubf_heap_check {
	const char *at;
	uint32_t size;
	uint32_t now_hi;	/* end of the last extent */
	uint64_t sum;		/* of the sizes of those before */
	uint32_t lo, hi;	/* where they lie */
	int outwards;		/* each lay above or below those before it */
	uint32_t count;
	uint32_t now_lo;	/* apart from now_hi: a load of both would
				 * wait for the store of one */
	int depth;
	struct ow_ubf_extent list[OW_UBF_EXTENTS];	/* the first ones */
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

/* The values of n entries of one heap type. */
int ow_ubf_check_values(struct ow_ubf_heap_check *heap, unsigned int type,
			const struct ow_ubf_ent *e, uint32_t n);
/* After all of them: none overlap, and the waste is what is left. */
int ow_ubf_check_heap(const struct Ubfh *h, struct ow_ubf_heap_check *heap);
/* An embedded buffer; of check.c. */
int ow_ubf_check_level(const void *buf, size_t len, int depth);

#endif
