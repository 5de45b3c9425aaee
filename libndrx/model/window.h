/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window.h - the growth of counters within a window of time
 *
 * A window keeps two older states of a vector of counters (counts.h). Rates
 * and percentiles are made of the growth since the older state, which is one
 * to two spans old.
 */
#ifndef OW_WINDOW_H
#define OW_WINDOW_H

#include <stdint.h>

#include "libndrx/observe/counts.h"

struct ow_window {
	struct ow_counts old, mid;
	uint64_t old_ns, mid_ns;
};

/* A window over one counter. */
struct ow_growth {
	uint64_t old, mid, old_ns, mid_ns;
};

/* Begin with the state `c` of `now_ns`. */
void ow_window_start(struct ow_window *w, const struct ow_counts *c,
		     uint64_t now_ns);
/* Forget states older than two spans; `span_ns` 0: forget nothing. */
void ow_window_turn(struct ow_window *w, const struct ow_counts *c,
		    uint64_t now_ns, uint64_t span_ns);

void ow_growth_start(struct ow_growth *g, uint64_t n, uint64_t now_ns);
/* Growth per second; NAN while it is unknown. */
double ow_growth_rate(struct ow_growth *g, uint64_t n, uint64_t now_ns,
		      uint64_t span_ns);
/* n per second of the time since `then_ns`. */
double ow_per_second(uint64_t n, uint64_t then_ns, uint64_t now_ns);

/*
 * The value below which `per_mille` of a histogram's entries lie, in
 * microseconds; entries lie evenly within a bucket. NAN: no entries.
 */
double ow_quantile(const uint64_t *hist, unsigned int per_mille);

#endif
