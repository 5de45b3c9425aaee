/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hint.h - where to begin looking for a free slot
 *
 * One word: the slot below, above it a count of the times it was lowered. A
 * process that takes a slot raises the hint only if no slot was freed since it
 * read the hint, so no free slot is left behind. It is a hint: a slot below it
 * that a killed process did not report is found by the reaper's scan.
 */
#ifndef OW_HINT_H
#define OW_HINT_H

#include <stdatomic.h>
#include <stdint.h>

#define OW_HINT_SLOTS 65536u /* of a table, at most */

static inline uint32_t ow_hint_slot(uint32_t hint)
{
	return hint % OW_HINT_SLOTS;
}

/* Slots below `to` are taken, as far as a process knows that read `seen`. */
static inline void ow_hint_raise(_Atomic uint32_t *hint, uint32_t seen,
				 uint32_t to)
{
	uint32_t next = seen - ow_hint_slot(seen) + ow_hint_slot(to);

	atomic_compare_exchange_strong(hint, &seen, next);
}

/* Slot `to` is free. */
static inline void ow_hint_lower(_Atomic uint32_t *hint, uint32_t to)
{
	uint32_t old = atomic_load(hint), next;

	do {
		next = old + OW_HINT_SLOTS;
		if (to < ow_hint_slot(old))
			next = next - ow_hint_slot(next) + to;
	} while (!atomic_compare_exchange_weak(hint, &old, next));
}

#endif
