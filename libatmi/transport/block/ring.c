/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.c - a lock-free first-in first-out buffer of block references
 */
#include "libatmi/base/atomics.h"
#include "libatmi/transport/block/ring.h"

#include "libatmi/base/fault.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/store.h"

#define LAP_MASK OW_RING_LAP_MASK
/* After so many tries the ring counts as damaged. Each failed try is progress
 * of another process. */
#define TRIES_MAX 1000000
#define AHEAD	  3 /* messages; measured: doc/lab */

static uint64_t lap_of(const struct ow_ring *r, uint64_t pos)
{
	/* The size is a power of two: no division. */
	return pos >> __builtin_ctzll(r->size) & LAP_MASK;
}

static uint64_t empty(uint64_t lap)
{
	return ow_ring_empty_cell(lap);
}

static uint64_t filled(uint64_t lap, uint64_t ref)
{
	return OW_RING_FILLED | empty(lap) | ow_block_cell(ref);
}

static bool is_filled(uint64_t v, uint64_t lap)
{
	return (v & ~OW_BLOCK_CELL_MASK) == (OW_RING_FILLED | empty(lap));
}

static _Atomic uint64_t *cell_at(const struct ow_ring *r, uint64_t pos)
{
	return &r->cells[pos & (r->size - 1)];
}

static void move_on(_Atomic uint64_t *mark, uint64_t from)
{
	atomic_compare_exchange_strong(mark, &from, from + 1);
}

enum ow_ring_result ow_ring_put(const struct ow_ring *r, uint64_t ref)
{
	_Atomic uint64_t *cell;
	uint64_t t, v, lap;
	int tries;

	for (tries = 0; tries < TRIES_MAX; tries++) {
		t = atomic_load(r->tail);
		cell = cell_at(r, t);
		lap = lap_of(r, t);
		v = atomic_load(cell);
		if (v == empty(lap)) {
			OW_FAULT("ring.put");
			if (!atomic_compare_exchange_strong(
				cell, &v, filled(lap, ref)))
				continue;
			OW_FAULT("ring.put.tail");
			move_on(r->tail, t);
			return OW_RING_DONE;
		}
		if (atomic_load(r->tail) != t)
			continue;
		if (is_filled(v, lap) || v == empty(lap + 1))
			move_on(r->tail, t); /* for the process that put it */
		else if (is_filled(v, lap - 1))
			return OW_RING_FULL;
		else
			return OW_RING_BAD;
	}
	return OW_RING_BAD;
}

/* Empty the cell at position `h`, whose block is claimed or whose reference is
 * stale. */
static void drop(const struct ow_ring *r, uint64_t h, uint64_t v)
{
	OW_FAULT("ring.drop");
	atomic_compare_exchange_strong(cell_at(r, h), &v,
				       empty(lap_of(r, h) + 1));
	OW_FAULT("ring.drop.head");
	move_on(r->head, h);
}

/* In a long queue the block that will be taken soon is no longer in the cache:
 * prefetch it. */
static void prefetch_ahead(const struct ow_ring *r, const struct ow_blocks *b,
			   uint64_t h)
{
	uint64_t v = ow_load_relaxed(cell_at(r, h + AHEAD));

	if ((v & OW_RING_FILLED) != 0)
		ow_block_prefetch(b, v);
}

/*
 * Claim the block that a cell names, if it is in state `from`: it becomes
 * `to` (HELD or TAKEN), owned by this process. `cell` must still hold `val`
 * after the state was read. 0 with *ret_ref; GONE: the cell is stale; AGAIN;
 * FULL: this process has no process slot, or cannot map the block.
 */
static inline int claim(struct ow_blocks *b, const _Atomic uint64_t *cell,
			uint64_t val, enum ow_block_kind from,
			enum ow_block_kind to, uint64_t *ret_ref)
{
	uint32_t i = (uint32_t)val & 0xfffff, prc = ow_prc_self(b->tables);
	int r, c = (int)(val >> 40 & 0xf) - 1;
	struct block *blk;
	uint64_t s;

	r = ow_class_has(b, c, i);
	if (r == OW_BLOCK_GONE)
		return r;
	if (prc == 0 || r != 0)
		return OW_BLOCK_FULL;
	blk = ow_load_relaxed(&b->block[c]) + i;
	s = atomic_load_explicit(&blk->state, memory_order_acquire);
	/* The state belongs to this cell only if the cell has not changed. */
	if (atomic_load_explicit(cell, memory_order_acquire) != val)
		return OW_BLOCK_AGAIN;
	if (state_kind(s) != from ||
	    (state_gen(s) & 0xfffff) != (val >> 20 & 0xfffff))
		return OW_BLOCK_GONE;
	OW_FAULT("block.claim");
	if (!atomic_compare_exchange_strong(
		&blk->state, &s, state_make(to, prc, state_gen(s))))
		return OW_BLOCK_AGAIN;
	OW_FAULT("block.claimed");
	*ret_ref = ref_make(c, i, state_gen(s));
	return 0;
}

enum ow_ring_result ow_ring_take(const struct ow_ring *r, struct ow_blocks *b,
		 enum ow_block_kind from, enum ow_block_kind to,
		 uint64_t *ret_ref)
{
	_Atomic uint64_t *cell;
	uint64_t h, v, lap;
	int tries, got;

	for (tries = 0; tries < TRIES_MAX; tries++) {
		h = atomic_load_explicit(r->head, memory_order_acquire);
		cell = cell_at(r, h);
		lap = lap_of(r, h);
		v = atomic_load_explicit(cell, memory_order_acquire);
		if (is_filled(v, lap)) {
			got = claim(b, cell, v, from, to, ret_ref);
			if (got == OW_BLOCK_AGAIN)
				continue;
			if (got == OW_BLOCK_FULL)
				return OW_RING_BAD;
			prefetch_ahead(r, b, h);
			drop(r, h, v);
			if (got == 0)
				return OW_RING_DONE;
			continue;
		}
		if (atomic_load(r->head) != h)
			continue;
		if (v == empty(lap))
			return OW_RING_EMPTY;
		if (v == empty(lap + 1) || is_filled(v, lap + 1))
			move_on(r->head, h);
		else
			return OW_RING_BAD;
	}
	return OW_RING_BAD;
}

bool ow_ring_holds(const struct ow_ring *r, uint64_t ref)
{
	uint64_t i, want = ow_block_cell(ref), v;

	for (i = 0; i < r->size; i++) {
		v = atomic_load(&r->cells[i]);
		if ((v & OW_RING_FILLED) != 0 &&
		    (v & OW_BLOCK_CELL_MASK) == want)
			return true;
	}
	return false;
}

uint32_t ow_ring_list(const struct ow_ring *r, uint64_t *ret_cells,
		      uint32_t max)
{
	uint64_t h = ow_load_acquire(r->head), at, v;
	uint32_t n = 0;

	/* The tail may be behind: a filled cell counts, an empty one ends it. */
	for (at = h; at < h + r->size && n < max; at++) {
		v = ow_load_acquire(cell_at(r, at));
		if (is_filled(v, lap_of(r, at)))
			ret_cells[n++] = v & OW_BLOCK_CELL_MASK;
		else if (v == empty(lap_of(r, at)))
			break;
	}
	return n;
}

uint64_t ow_ring_bytes(const struct ow_ring *r)
{
	uint64_t i, v, n = 0;
	int c;

	for (i = 0; i < r->size; i++) {
		v = ow_load_relaxed(&r->cells[i]);
		c = (int)(v >> 40 & 0xf) - 1;
		if ((v & OW_RING_FILLED) != 0 && c >= 0 &&
		    c < OW_BLOCK_CLASSES)
			n += ow_class_size(c);
	}
	return n;
}
