/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rounds.h - when a busy server reads the clock, so that its ticks come
 */
#ifndef OW_WAKING_ROUNDS_H
#define OW_WAKING_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/waking/constants.h"

/* Is the clock to be read before the next request? */
static inline bool ow_waking_was_slow(const struct ow_waking *k,
				      uint64_t took_ns)
{
	return took_ns >= k->slow_ns;
}

/* Another round of work: is the clock to be read? *rounds 0: yes. */
static inline bool ow_waking_clock_due(const struct ow_waking *k,
				       uint32_t *rounds)
{
	bool due = *rounds == 0;

	if (++*rounds >= k->clock_every)
		*rounds = 0;
	return due;
}

#endif
