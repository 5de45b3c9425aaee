/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc.h - memory for a message and its payload
 *
 * A payload of 64 MB is 16,384 pages. The kernel takes longer to provide them
 * one by one than the copy into them takes, so it is asked for huge pages where
 * the payload has some; it may refuse. The memory ends with free().
 */
#ifndef OW_BR_ALLOC_H
#define OW_BR_ALLOC_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define OW_BR_HUGE ((uintptr_t)2 << 20)

static inline void *ow_br_alloc(size_t size)
{
	char *p = malloc(size);
	uintptr_t from, to;

	if (p == NULL || size < 2 * OW_BR_HUGE)
		return p;
	from = ((uintptr_t)p + OW_BR_HUGE - 1) & ~(OW_BR_HUGE - 1);
	to = ((uintptr_t)p + size) & ~(OW_BR_HUGE - 1);
	(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
	return p;
}

#endif
