/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h - the time in nanoseconds
 *
 * Deadlines are monotonic; the wall clock is for people only.
 */
#ifndef OW_CLOCK_H
#define OW_CLOCK_H

#include <stdint.h>
#include <time.h>

#define OW_NS_PER_SEC UINT64_C(1000000000)
#define OW_NS_PER_MS  UINT64_C(1000000)
#define OW_NS_PER_US  UINT64_C(1000)

static inline uint64_t ow_clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * OW_NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* Monotonic: never jumps. For deadlines and durations. */
static inline uint64_t ow_clock_mono_ns(void)
{
	return ow_clock_ns(CLOCK_MONOTONIC);
}

/* Per-id phase, spreads periodic work: a time within `period`, above 0, for
 * number `id` of thousands that start together. */
static inline uint64_t ow_clock_spread(uint32_t id, uint64_t period)
{
	uint64_t part = (id * UINT32_C(0x9e3779b1)) >> 16;

	return 1 + (period >> 16) * part + ((period & 0xffff) * part >> 16);
}

/* Since 1970, UTC; may jump. For log lines and listings. */
static inline uint64_t ow_clock_real_ns(void)
{
	return ow_clock_ns(CLOCK_REALTIME);
}

#endif
