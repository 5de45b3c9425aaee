/* SPDX-License-Identifier: Apache-2.0 */
/*
 * return.c - memory of blocks that nobody uses goes back to the system
 *
 * A freed block keeps its memory: clean pages for the next message of its size
 * would cost more than copying it. Pages that have not been wanted for three
 * seconds are given back by those who look once a second (ndrxd, and servers
 * for the classes that they have met); all that can be, by who finds the file
 * system full. Very large blocks do not wait (ow_class_give()), small ones
 * share pages and stay.
 *
 * A block is FREE -> HELD by who takes its memory away, then FREE again:
 * killed in between, it leaves a block for the sweep.
 */
#include <stdatomic.h>

#include "libatmi/transport/block/store.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"

#define CALM_NS	   (3 * OW_NS_PER_SEC)
#define CALM_LEAST 16384u /* smaller blocks are not worth the looks */
#define PAGE	   4096u

static bool take_memory(struct ow_blocks *b, int c, uint32_t i, uint64_t s)
{
	struct block *blk = &b->block[c][i];
	uint32_t prc = ow_prc_self(b->tables);

	if (prc == 0 || !atomic_compare_exchange_strong(
			    &blk->state, &s,
			    state_make(OW_BLOCK_HELD, prc, state_gen(s))))
		return false;
	ow_class_punch(b, c, i);
	ow_class_give(b, c, i);
	return true;
}

/* Has it been free since somebody looked three seconds ago? */
static bool is_calm(struct block *blk, uint64_t s, uint64_t now)
{
	uint64_t since = atomic_load(&blk->free_ns);

	if (since != 0 && state_gen(s) == atomic_load(&blk->free_gen))
		return now > since && now - since >= CALM_NS;
	atomic_store(&blk->free_gen, state_gen(s));
	atomic_store(&blk->free_ns, now);
	return false;
}

/* `now` 0: calm or not. True: something was given back. */
static bool return_class(struct ow_blocks *b, int c, uint64_t now)
{
	uint32_t i, known = atomic_load(&b->head->class[c].known);
	bool any = false;
	uint64_t s;

	for (i = 0; i < known && i < ow_class_count(c); i++) {
		struct block *blk = &b->block[c][i];

		s = atomic_load(&blk->state);
		if (state_kind(s) == OW_BLOCK_FREE &&
		    atomic_load(&blk->backed) > 0 &&
		    (now == 0 || is_calm(blk, s, now)))
			any |= take_memory(b, c, i, s);
	}
	return any;
}

static bool return_all(struct ow_blocks *b, uint64_t least, uint64_t now)
{
	bool any = false;
	int c;

	for (c = 0; c < OW_BLOCK_CLASSES; c++)
		if (ow_class_size(c) >= least && atomic_load(&b->block[c]) != NULL)
			any |= return_class(b, c, now);
	return any;
}

void ow_blocks_calm(struct ow_blocks *b, uint64_t now_ns)
{
	return_all(b, CALM_LEAST, now_ns);
}

bool ow_blocks_reclaim(struct ow_blocks *b)
{
	int c;

	/* Others may have left what we have never met. */
	for (c = 0; c < OW_BLOCK_CLASSES; c++)
		ow_class_need(b, c, false);
	ow_blocks_trim(b);
	return return_all(b, PAGE, 0);
}
