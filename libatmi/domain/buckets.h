/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buckets.h - the buckets of the shared histograms
 *
 * Powers of two of microseconds: bucket 0 counts less than 2 us, bucket i
 * counts [2^i, 2^(i+1)) us, the last one everything above (from 35 minutes
 * on). Writers and readers of struct ow_adv share this definition.
 */
#ifndef OW_BUCKETS_H
#define OW_BUCKETS_H

#include <stdint.h>

#define OW_HIST_BUCKETS 32u

/* The bucket that counts `us`. */
static inline unsigned int ow_bucket_of(uint64_t us)
{
	unsigned int b = 63u - (unsigned int)__builtin_clzll(us | 1);

	return b < OW_HIST_BUCKETS ? b : OW_HIST_BUCKETS - 1;
}

/* The lowest value of bucket `b`. */
static inline uint64_t ow_bucket_from(unsigned int b)
{
	return b == 0 ? 0 : UINT64_C(1) << b;
}

/* The lowest value above bucket `b`; UINT64_MAX for the last bucket, which has
 * none. */
static inline uint64_t ow_bucket_to(unsigned int b)
{
	return b + 1 < OW_HIST_BUCKETS ? UINT64_C(2) << b : UINT64_MAX;
}

#endif
