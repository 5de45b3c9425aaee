/* SPDX-License-Identifier: Apache-2.0 */
/*
 * return.c - memory of unused blocks goes back to the system
 *
 * A freed block keeps its memory: zeroed pages for the next message of its
 * size would cost more than copying it. ndrxd, and each server for the classes
 * it has mapped, check once a second and return the memory of blocks that
 * have been free for three seconds. A process that finds the file system full
 * returns the memory of all free blocks. Very large blocks return it when
 * they are freed (ow_class_give()); small ones share pages and keep it.
 *
 * A process that returns the memory of a block makes it HELD, then FREE
 * again. If it is killed in between, the sweep frees the block.
 */
#include <stdatomic.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/store.h"

#define UNUSED_NS    (3 * OW_NS_PER_SEC)
#define UNUSED_LEAST 16384u /* bytes; smaller blocks are not worth checking */
#define PAGE	     4096u

static bool return_block(struct ow_blocks *b, int c, uint32_t i, uint64_t s)
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

/* Has the block been free since a check at least UNUSED_NS ago? */
static bool is_unused(struct block *blk, uint64_t s, uint64_t now)
{
	uint64_t since = atomic_load(&blk->free_ns);

	if (since != 0 && state_gen(s) == atomic_load(&blk->free_gen))
		return now > since && now - since >= UNUSED_NS;
	atomic_store(&blk->free_gen, state_gen(s));
	atomic_store(&blk->free_ns, now);
	return false;
}

/* now 0: of all free blocks. True: memory was returned. */
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
		    (now == 0 || is_unused(blk, s, now)))
			any |= return_block(b, c, i, s);
	}
	return any;
}

static bool return_all(struct ow_blocks *b, uint64_t least, uint64_t now)
{
	bool any = false;
	int c;

	for (c = 0; c < OW_BLOCK_CLASSES; c++)
		if (ow_class_size(c) >= least &&
		    atomic_load(&b->block[c]) != NULL)
			any |= return_class(b, c, now);
	return any;
}

void ow_blocks_return_idle(struct ow_blocks *b, uint64_t now_ns)
{
	return_all(b, UNUSED_LEAST, now_ns);
}

bool ow_blocks_reclaim(struct ow_blocks *b)
{
	uint32_t known;
	int c;

	/* Also classes that this process has not mapped yet. */
	for (c = 0; c < OW_BLOCK_CLASSES; c++)
		ow_class_look(b, c, &known);
	ow_blocks_trim(b);
	return return_all(b, PAGE, 0);
}
