/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prc.h - the slot by which this process owns shared memory
 *
 * A block names its owner by a number of 16 bits, so that owner and state
 * change together in one word. The number is a slot of the process table
 * (tables.h), which holds what tells one process from a later namesake.
 */
#ifndef OW_PRC_H
#define OW_PRC_H

#include "libatmi/domain/tables.h"

/* How often this process was made by fork(), and once more: what was noted in
 * thread-local or process memory under another number belongs to a parent. */
extern _Atomic uint32_t ow_forks;

static inline uint32_t ow_prc_forks(void)
{
	return atomic_load_explicit(&ow_forks, memory_order_relaxed);
}

#pragma GCC visibility push(default)

/* Take a slot for this process: 0: none is free, or no memory for it. */
uint32_t ow_prc_take(struct ow_tables *t);
/* Does the process live that has this slot? */
bool ow_prc_alive(const struct ow_tables *t, uint32_t prc);
/* The slot of a process, 0: it has none. */
uint32_t ow_prc_find(const struct ow_tables *t, int32_t pid, uint64_t start);

#pragma GCC visibility pop

/* The slot of this process, taken at the first call; 0 as above. Right in a
 * forked child too. */
static inline uint32_t ow_prc_self(struct ow_tables *t)
{
	if (atomic_load_explicit(&t->self_forks, memory_order_acquire) ==
	    ow_prc_forks())
		return atomic_load_explicit(&t->self, memory_order_relaxed);
	return ow_prc_take(t);
}

#endif
