/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.c - what a process that ends does with its blocks
 *
 * Short clients come and go faster than any sweep: a process slot that its
 * process gives back is free at once, also where no ndrxd sweeps.
 */
#include <stdatomic.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/store.h"

/* May the process go? False: the program, or a request in hand, still has the
 * block. */
static bool let_go(struct ow_blocks *b, int c, uint32_t i, uint32_t prc)
{
	struct block *blk = &b->block[c][i];
	uint64_t s = atomic_load(&blk->state);

	while (state_prc(s) == prc) {
		switch (state_kind(s)) {
		case OW_BLOCK_CACHED: /* by a thread that has ended */
			ow_class_give(b, c, i);
			return true;
		case OW_BLOCK_QUEUED:
		case OW_BLOCK_MAILED:
		case OW_BLOCK_NOTED:
			OW_FAULT("leave.queued");
			if (atomic_compare_exchange_strong(
				&blk->state, &s,
				state_make(state_kind(s), 0, state_gen(s))))
				return true;
			break; /* it was just taken: look again */
		default:
			return false;
		}
	}
	return true;
}

void ow_blocks_leave(struct ow_blocks *b)
{
	struct ow_tables *t = b->tables;
	uint32_t i, known, prc;
	int c;

	if (atomic_load(&t->self_forks) != ow_prc_forks())
		return; /* it has no slot */
	prc = ow_prc_self(t);
	ow_blocks_trim(b);
	for (c = 0; c < OW_BLOCK_CLASSES; c++) {
		/* A process has blocks only in classes that it has mapped. */
		if (atomic_load(&b->block[c]) == NULL)
			continue;
		known = atomic_load(&b->head->class[c].known);
		for (i = 0; i < known && i < ow_class_count(c); i++)
			if (!let_go(b, c, i, prc))
				return;
	}
	OW_FAULT("leave.slot");
	ow_prc_give_back(t);
}
