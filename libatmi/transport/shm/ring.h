/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.h - references of blocks in order, in shared memory, without locks
 *
 * A ring of cells of one word. Many put in, many take out (a mailbox has one
 * who takes). Nothing in it is ever half done:
 *
 *	cell	bit 63: filled; bits 62..44: lap; bits 43..0: reference
 *		(ow_block_cell())
 *	tail	position where the next one goes in
 *	head	position of the first one
 *
 * Position p lies in cell p % size, in lap p / size. An empty cell carries
 * the lap in which it will be filled. So:
 *
 *	put	cell at the tail is EMPTY(lap): compare-and-swap it to
 *		FILLED(lap, ref): now it is in. Then move the tail on.
 *	take	cell at the head is FILLED(lap, ref): claim the block by its
 *		state word (block.h): now it is ours. Then the cell becomes
 *		EMPTY(lap + 1), then the head moves on.
 *
 * Whoever finds a cell ahead of its tail or head does the remaining steps for
 * the other, so a process killed or stopped in between holds nobody up, and
 * no step can be done twice. Memory is all zeros at first: lap 0, empty.
 *
 * Laps have 19 bits. A process would have to sleep between reading a cell
 * and its compare-and-swap for exactly a multiple of 2^19 laps (half a
 * billion messages in the smallest ring) to be fooled.
 */
#ifndef OW_RING_H
#define OW_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/transport/block/block.h"

/* Where the parts of a ring lie; made anew by each process. */
struct ow_ring {
	_Atomic uint64_t *head, *tail;
	_Atomic uint64_t *cells;
	uint64_t size; /* cells, a power of two */
};

enum ow_ring_result {
	OW_RING_FULL = 1,
	OW_RING_EMPTY = 2,
	OW_RING_BAD = 3, /* no ring can look so: the memory is damaged */
};

#pragma GCC visibility push(default)

/* Put block `ref` in, whose state says already that it is there. 0, FULL,
 * BAD. */
int ow_ring_put(const struct ow_ring *r, uint64_t ref);
/* Take the first block that is in state `from`, and make it `to`, owned by
 * this process. 0 with *ret_ref; EMPTY, BAD. */
int ow_ring_take(const struct ow_ring *r, struct ow_blocks *b,
		 enum ow_block_kind from, enum ow_block_kind to,
		 uint64_t *ret_ref);
/* Is there a block in some cell? For orphans: who put it in is dead. */
bool ow_ring_holds(const struct ow_ring *r, uint64_t ref);

#pragma GCC visibility pop

/* Cells filled; for a moment it may count one that is being taken. */
static inline uint64_t ow_ring_depth(const struct ow_ring *r)
{
	uint64_t h = atomic_load_explicit(r->head, memory_order_relaxed);
	uint64_t t = atomic_load_explicit(r->tail, memory_order_relaxed);

	return t > h ? t - h : 0;
}

#define OW_RING_FILLED (UINT64_C(1) << 63)

/* Is the cell at the head filled? */
static inline bool ow_ring_waits(const struct ow_ring *r)
{
	uint64_t h = atomic_load_explicit(r->head, memory_order_acquire);

	return (atomic_load_explicit(&r->cells[h & (r->size - 1)],
				     memory_order_acquire) &
		OW_RING_FILLED) != 0;
}

#endif
