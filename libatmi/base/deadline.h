/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadline.h - the absolute time at which a wait ends
 *
 * A deadline is CLOCK_MONOTONIC nanoseconds. Three values are special:
 * OW_DEADLINE_NEVER waits without limit, OW_DEADLINE_NOW does not wait at
 * all (it lies in the past, as any small number does), OW_DEADLINE_LOOK does
 * what comes before a sleep (a look, yields), and does not sleep. A time-out is
 * a duration; ow_deadline_after() makes a deadline of it.
 */
#ifndef OW_DEADLINE_H
#define OW_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/clock.h"

#define OW_DEADLINE_NEVER UINT64_C(0)
#define OW_DEADLINE_NOW	  UINT64_C(1)
#define OW_DEADLINE_LOOK  UINT64_C(2) /* of mailboxes */

/* The deadline of a time-out of `ms` milliseconds that begins at `now`. */
static inline uint64_t ow_deadline_after(uint64_t now, uint32_t ms)
{
	return now + ms * OW_NS_PER_MS;
}

/* Has the deadline passed at time `now`? */
static inline bool ow_deadline_passed(uint64_t deadline, uint64_t now)
{
	return deadline != OW_DEADLINE_NEVER && deadline <= now;
}

/* The end of a slice of waiting: `slice_end`, or the deadline if it comes
 * first. */
static inline uint64_t ow_deadline_clamp(uint64_t deadline, uint64_t slice_end)
{
	return deadline != OW_DEADLINE_NEVER && deadline < slice_end
		   ? deadline
		   : slice_end;
}

#endif
