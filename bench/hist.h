/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hist.h - a latency histogram of one thread
 *
 * Logarithmic buckets, 32 to each power of two: a value read from it is at
 * most 3 % off. Values are nanoseconds.
 */
#ifndef OW_BENCH_HIST_H
#define OW_BENCH_HIST_H

#include <stdint.h>

#define OW_HIST_SUB   32
#define OW_HIST_SLOTS (60 * OW_HIST_SUB)

struct ow_hist {
	uint64_t count;
	uint64_t max;
	uint64_t slot[OW_HIST_SLOTS];
};

void ow_hist_add(struct ow_hist *h, uint64_t ns);
/* Add all that is in `from` to `to`. */
void ow_hist_merge(struct ow_hist *to, const struct ow_hist *from);
/* The value that `part` (0..1) of all values do not exceed; 0 when empty. */
uint64_t ow_hist_quantile(const struct ow_hist *h, double part);

#endif
