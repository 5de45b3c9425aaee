/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prc.h - the process slot, by which a process owns blocks
 *
 * A block names its owner by a number of 16 bits, so that owner and state
 * change together in one word. The number is the process slot in the shared
 * tables (tables.h), which holds pid and start time.
 */
#ifndef OW_PRC_H
#define OW_PRC_H

#include "libatmi/base/atomics.h"
#include "libatmi/domain/tables.h"

/* 1 + the number of fork()s between the first process and this one. Values
 * kept in process memory together with another number belong to a parent
 * process. */
extern _Atomic uint32_t ow_forks;

static inline uint32_t ow_prc_forks(void)
{
	return ow_load_relaxed(&ow_forks);
}

/* The slot of this process, taken if it has none: 0; CROWDED: no slot is free;
 * NOSPACE; -EMFILE: /proc cannot be read. */
int ow_prc_need(struct ow_tables *t, uint32_t *ret_prc);
/* The same; 0: no slot. */
uint32_t ow_prc_take(struct ow_tables *t);
/* This process ends, and no block names its slot: give it back. */
void ow_prc_give_back(struct ow_tables *t);
/* Free the slot if it still belongs to this dead process. */
bool ow_prc_free(struct ow_tables *t, uint32_t prc, ow_proc_id dead);
/* The process that has the slot; 0: none. */
ow_proc_id ow_prc_owner(const struct ow_tables *t, uint32_t prc);
/* Is the process that has this slot alive? */
bool ow_prc_alive(const struct ow_tables *t, uint32_t prc);
/* The slot of a process; 0: it has none. */
uint32_t ow_prc_find(const struct ow_tables *t, int32_t pid, uint64_t start);

/* The slot of this process, taken at the first call; 0 as above. A forked
 * child gets its own. */
static inline uint32_t ow_prc_self(struct ow_tables *t)
{
	if (atomic_load_explicit(&t->self_forks, memory_order_acquire) ==
	    ow_prc_forks())
		return ow_load_relaxed(&t->self);
	return ow_prc_take(t);
}

#endif
