/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.h - a lock-free first-in first-out buffer of block references
 *
 * A ring consists of cells of one word in shared memory. Many processes put
 * and many take (one takes from a mailbox). Each step is one atomic operation:
 *
 *	cell	bit 63: filled; bits 62..44: lap; bits 43..0: reference
 *		(ow_block_cell())
 *	tail	position of the next reference to put
 *	head	position of the first reference to take
 *
 * Position p is cell p % size in lap p / size. An empty cell carries the lap
 * in which it will be filled.
 *
 *	put	The cell at the tail is EMPTY(lap). A compare-and-swap makes
 *		it FILLED(lap, ref): the reference is in the ring. Then the
 *		tail moves on.
 *	take	The cell at the head is FILLED(lap, ref). The taker claims the
 *		block by its state word (block.h): the block is the taker's.
 *		Then the cell becomes EMPTY(lap + 1), then the head moves on.
 *
 * A process that finds a cell ahead of its tail or head does the missing
 * steps itself. So a process killed or stopped in between delays no other
 * process, and no step is done twice. Memory is all zeros at first: lap 0,
 * empty.
 *
 * Laps have 19 bits. A stale compare-and-swap succeeds only if its process
 * slept for an exact multiple of 2^19 laps (half a billion messages in the
 * smallest ring) after it had read the cell.
 */
#ifndef OW_RING_H
#define OW_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/atomics.h"
#include "libatmi/transport/block/block.h"

/* Addresses of the parts of a ring in this process. */
struct ow_ring {
	_Atomic uint64_t *head, *tail;
	_Atomic uint64_t *cells;
	uint64_t size; /* cells, a power of two */
};

enum ow_ring_result {
	OW_RING_DONE = 0,
	OW_RING_FULL = 1,
	OW_RING_EMPTY = 2,
	OW_RING_BAD = 3, /* impossible contents: the memory is damaged */
};

/* Put block `ref`, whose state is already QUEUED or MAILED: DONE, FULL, BAD. */
enum ow_ring_result ow_ring_put(const struct ow_ring *r, uint64_t ref);
/* Take the first block in state `from`; its state becomes `to`, its owner
 * this process. DONE with *ret_ref; EMPTY, BAD. */
enum ow_ring_result ow_ring_take(const struct ow_ring *r, struct ow_blocks *b,
		 enum ow_block_kind from, enum ow_block_kind to,
		 uint64_t *ret_ref);
/* Does any cell hold the block? For orphans: the process that put it is
 * dead. */
bool ow_ring_holds(const struct ow_ring *r, uint64_t ref);
/* What its filled cells hold (ow_block_cell()), from the head on, `max` at most;
 * returns how many. For onlookers: others put and take meanwhile. */
uint32_t ow_ring_list(const struct ow_ring *r, uint64_t *ret_cells,
		      uint32_t max);
/* Bytes of all blocks in the ring, by their classes. */
uint64_t ow_ring_bytes(const struct ow_ring *r);

/* Cells filled; may count a reference that is just being taken. */
static inline uint64_t ow_ring_depth(const struct ow_ring *r)
{
	uint64_t h = ow_load_relaxed(r->head);
	uint64_t t = ow_load_relaxed(r->tail);

	return t > h ? t - h : 0;
}

#define OW_RING_FILLED (UINT64_C(1) << 63)

/* The value of an empty cell in this lap. */
#define OW_RING_LAP_MASK UINT64_C(0x7ffff)
static inline uint64_t ow_ring_empty_cell(uint64_t lap)
{
	return (lap & OW_RING_LAP_MASK) << OW_BLOCK_CELL_BITS;
}

/* Would ow_ring_take() find nothing? The size is a power of two: no division. */
static inline bool ow_ring_is_empty(const struct ow_ring *r)
{
	uint64_t h = ow_load_acquire(r->head);
	uint64_t v = ow_load_acquire(&r->cells[h & (r->size - 1)]);

	return v == ow_ring_empty_cell(h >> __builtin_ctzll(r->size)) &&
	       ow_load_relaxed(r->head) == h;
}

/* Is the cell at the head filled? */
static inline bool ow_ring_has_message(const struct ow_ring *r)
{
	uint64_t h = atomic_load_explicit(r->head, memory_order_acquire);

	return (atomic_load_explicit(&r->cells[h & (r->size - 1)],
				     memory_order_acquire) &
		OW_RING_FILLED) != 0;
}

#endif
