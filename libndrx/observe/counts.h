/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counts.h - the counters of an offer, copied out of the shared tables
 *
 * An offer is a service of one server (struct ow_adv). Its counters are one
 * vector, so that sums and differences need no names. Counters only grow, and
 * begin at zero with each server process.
 */
#ifndef OW_COUNTS_H
#define OW_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/domain/buckets.h"

struct ow_adv;

enum ow_count {
	OW_CNT_OK,
	OW_CNT_FAIL,
	OW_CNT_SUM_US,	/* time in the service function */
	OW_CNT_WAIT_US, /* time in the queue */
	OW_CNT_BYTES,
	OW_CNT_WAKEUPS,
	OW_CNT_VAIN,
	/* of a service as a whole; 0 in an offer */
	OW_CNT_EXPIRED,
	OW_CNT_FULL,
	OW_CNT_SYSTEM, /* error replies of the system in place of a server */
	OW_CNT_HIST,
	OW_CNT_WAIT_HIST = OW_CNT_HIST + (int)OW_HIST_BUCKETS,
	OW_CNT_END = OW_CNT_WAIT_HIST + (int)OW_HIST_BUCKETS,
};

struct ow_counts {
	uint64_t n[OW_CNT_END];
};

/* Copy the counters of an offer. Each word is whole; the words need not be of
 * one moment. */
void ow_counts_copy(const struct ow_adv *a, struct ow_counts *ret);

void ow_counts_add(struct ow_counts *to, const struct ow_counts *more);
/* now - before, word by word. */
void ow_counts_sub(const struct ow_counts *now, const struct ow_counts *before,
		   struct ow_counts *ret);
/* Add to `sum` what each word has grown by since *last, and set *last to
 * `now`. A word that became smaller began at zero again. */
void ow_counts_grow(struct ow_counts *sum, struct ow_counts *last,
		    const struct ow_counts *now);
/* Did a word become smaller? Then the counters began at zero again. */
bool ow_counts_fell(const struct ow_counts *now,
		    const struct ow_counts *before);
/* ok + fail */
uint64_t ow_counts_calls(const struct ow_counts *c);

#endif
