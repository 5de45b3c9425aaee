/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counts.h - counters that only grow, and what they grew by in a while
 *
 * The counters of a service of a server, copied out of the shared tables, as
 * one vector: adding up and taking differences needs no names. A window keeps
 * two older states of such a vector; the growth since the older one is what
 * rates and percentiles are made of. It reaches back one to two spans.
 */
#ifndef OW_COUNTS_H
#define OW_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/domain/buckets.h"

enum ow_count {
	OW_CNT_OK,
	OW_CNT_FAIL,
	OW_CNT_SUM_US,	/* time in the service function */
	OW_CNT_WAIT_US, /* time in the queue */
	OW_CNT_BYTES,
	OW_CNT_WAKEUPS,
	OW_CNT_VAIN,
	/* of a service as a whole */
	OW_CNT_EXPIRED,
	OW_CNT_FULL,
	OW_CNT_SYSTEM, /* answered by the system in place of a server */
	OW_CNT_HIST,
	OW_CNT_WAIT_HIST = OW_CNT_HIST + (int)OW_HIST_BUCKETS,
	OW_CNT_END = OW_CNT_WAIT_HIST + (int)OW_HIST_BUCKETS,
};

struct ow_counts {
	uint64_t n[OW_CNT_END];
};

struct ow_window {
	struct ow_counts old, mid;
	uint64_t old_ns, mid_ns;
};

/* A window over one counter. */
struct ow_growth {
	uint64_t old, mid, old_ns, mid_ns;
};

void ow_counts_add(struct ow_counts *to, const struct ow_counts *more);
/* now - before, word by word. */
void ow_counts_sub(const struct ow_counts *now, const struct ow_counts *before,
		   struct ow_counts *ret);
/* Did a word become smaller? Then somebody began anew. */
bool ow_counts_fell(const struct ow_counts *now,
		    const struct ow_counts *before);
/* ok + fail */
uint64_t ow_counts_calls(const struct ow_counts *c);

/* Begin at `c`, at `now_ns`. */
void ow_window_start(struct ow_window *w, const struct ow_counts *c,
		     uint64_t now_ns);
/* Let go of what is older than two spans; `span_ns` 0: of nothing. */
void ow_window_turn(struct ow_window *w, const struct ow_counts *c,
		    uint64_t now_ns, uint64_t span_ns);

void ow_growth_start(struct ow_growth *g, uint64_t n, uint64_t now_ns);
/* Per second; NAN while nothing can be said. */
double ow_growth_rate(struct ow_growth *g, uint64_t n, uint64_t now_ns,
		      uint64_t span_ns);
/* n per second of the time since `then_ns`. */
double ow_per_second(uint64_t n, uint64_t then_ns, uint64_t now_ns);

/*
 * The value below which `per_mille` of a histogram's entries lie, in
 * microseconds, spread evenly within a bucket. NAN: it is empty.
 */
double ow_quantile(const uint64_t *hist, unsigned int per_mille);

#endif
