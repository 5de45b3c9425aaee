/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.h - large objects of which few pages are ever used
 *
 * calloc() clears what it takes from the heap, and so gives every page of it
 * memory. A server has tables for 256 services and serves one or two; of a
 * domain with hundreds of servers that is megabytes. Pages that nobody has
 * written to have no memory.
 */
#ifndef OW_PAGES_H
#define OW_PAGES_H

#include <stddef.h>

/* `size` bytes, zero, at the beginning of a page; NULL: no memory. */
void *ow_pages_take(size_t size);
/* Give them back; NULL is allowed. Always NULL. */
void *ow_pages_give(void *p, size_t size);

#endif
