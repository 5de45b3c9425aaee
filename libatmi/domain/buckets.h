/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buckets.h - the buckets of the shared histograms
 *
 * Powers of two of microseconds: bucket 0 holds less than 2 us, bucket i
 * holds [2^i, 2^(i+1)) us, the last one everything from there on (35
 * minutes). Writers and readers of ow_adv agree on it here.
 */
#ifndef OW_BUCKETS_H
#define OW_BUCKETS_H

#include <stdint.h>

#define OW_HIST_BUCKETS 32u

/* Which bucket `us` falls into. */
static inline unsigned int ow_bucket_of(uint64_t us)
{
	unsigned int b = us < 2 ? 0 : 63u - (unsigned int)__builtin_clzll(us);

	return b < OW_HIST_BUCKETS ? b : OW_HIST_BUCKETS - 1;
}

/* The first value that belongs to bucket `b`. */
static inline uint64_t ow_bucket_from(unsigned int b)
{
	return b == 0 ? 0 : UINT64_C(1) << b;
}

/* The first value beyond bucket `b`; the last one has no such value:
 * UINT64_MAX. */
static inline uint64_t ow_bucket_to(unsigned int b)
{
	return b + 1 < OW_HIST_BUCKETS ? UINT64_C(2) << b : UINT64_MAX;
}

#endif
