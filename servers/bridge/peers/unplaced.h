/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unplaced.h - requests that have come, and have no place in a queue yet
 *
 * They wait for room, for tmsrv, or for the thread that is their caller. Each
 * is counted in one of two halves. Whoever wants to know that all have their
 * place that had come by now changes the halves twice: each time only when the
 * other one is empty. The first change shows that one half of them is gone, the
 * second one the other half; requests that come meanwhile do not delay that.
 *
 * The delivery thread counts them; the threads of the layers that serve them take
 * them back; the clock changes the halves.
 */
#ifndef OW_BRIDGE_UNPLACED_H
#define OW_BRIDGE_UNPLACED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ow_br_unplaced {
	_Atomic uint32_t n[2];
	_Atomic uint32_t half; /* in which new ones are counted */
};

/* One has come: its half. */
static inline uint32_t ow_br_unplaced_add(struct ow_br_unplaced *u)
{
	uint32_t half = atomic_load_explicit(&u->half, memory_order_relaxed);

	atomic_fetch_add(&u->n[half], 1);
	return half;
}

/* One of this half has its place, or its error. */
static inline void ow_br_unplaced_remove(struct ow_br_unplaced *u,
					 uint32_t half)
{
	atomic_fetch_sub(&u->n[half], 1);
}

/* Is there none? */
static inline bool ow_br_unplaced_is_empty(const struct ow_br_unplaced *u)
{
	return atomic_load(&u->n[0]) == 0 && atomic_load(&u->n[1]) == 0;
}

/* Change the halves, if the other one is empty. */
static inline bool ow_br_unplaced_turn(struct ow_br_unplaced *u)
{
	uint32_t other = 1 - atomic_load(&u->half);

	if (atomic_load(&u->n[other]) != 0)
		return false;
	atomic_store(&u->half, other);
	return true;
}

#endif
