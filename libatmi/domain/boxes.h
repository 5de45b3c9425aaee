/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boxes.h - a sparse segment with one box for each client slot
 *
 * A box has no memory until its owner reserves some.
 */
#ifndef OW_BOXES_H
#define OW_BOXES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/base/pieces.h"
#include "libatmi/domain/domain.h"

#define OW_BOXES_PIECE 64u /* boxes that are mapped together */

/* Map boxes of `size` bytes (a piece is whole pages), unless they are: 0 or
 * -errno as ow_sparse_map(). Any thread. */
int ow_boxes_need(struct ow_domain *d, struct ow_boxes *b, const char *kind,
		  size_t size);
/* Unmap all boxes, when the domain is left. */
void ow_boxes_unmap(struct ow_boxes *b);

/* The box of a slot, after ow_boxes_need(). NULL: no address space. */
static inline void *ow_box(struct ow_boxes *b, size_t size, uint32_t slot)
{
	char *at = ow_piece(atomic_load_explicit(&b->pieces,
						 memory_order_acquire),
			    slot / OW_BOXES_PIECE);

	return at != NULL ? at + slot % OW_BOXES_PIECE * size : NULL;
}

#endif
