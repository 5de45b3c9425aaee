/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window.c - the growth of counters within a window of time
 */
#include "libndrx/model/window.h"

#include <math.h>

#include "libatmi/base/clock.h"

void ow_window_start(struct ow_window *w, const struct ow_counts *c,
		     uint64_t now_ns)
{
	w->old = w->mid = *c;
	w->old_ns = w->mid_ns = now_ns;
}

void ow_window_turn(struct ow_window *w, const struct ow_counts *c,
		    uint64_t now_ns, uint64_t span_ns)
{
	if (span_ns == 0 || now_ns - w->mid_ns < span_ns)
		return;
	w->old = w->mid;
	w->old_ns = w->mid_ns;
	w->mid = *c;
	w->mid_ns = now_ns;
}

double ow_per_second(uint64_t n, uint64_t then_ns, uint64_t now_ns)
{
	if (now_ns <= then_ns)
		return NAN;
	return (double)n * (double)OW_NS_PER_SEC / (double)(now_ns - then_ns);
}

void ow_growth_start(struct ow_growth *g, uint64_t n, uint64_t now_ns)
{
	g->old = g->mid = n;
	g->old_ns = g->mid_ns = now_ns;
}

double ow_growth_rate(struct ow_growth *g, uint64_t n, uint64_t now_ns,
		      uint64_t span_ns)
{
	if (n < g->mid || n < g->old)
		ow_growth_start(g, n, now_ns);
	if (span_ns != 0 && now_ns - g->mid_ns >= span_ns) {
		g->old = g->mid;
		g->old_ns = g->mid_ns;
		g->mid = n;
		g->mid_ns = now_ns;
	}
	return ow_per_second(n - g->old, g->old_ns, now_ns);
}

double ow_quantile(const uint64_t *hist, unsigned int per_mille)
{
	uint64_t sum = 0;
	double want, from, width;
	unsigned int b;

	for (b = 0; b < OW_HIST_BUCKETS; b++)
		sum += hist[b];
	if (sum == 0)
		return NAN;
	want = (double)sum * per_mille / 1000.0;
	for (b = 0; b < OW_HIST_BUCKETS - 1; b++) {
		if ((double)hist[b] >= want && hist[b] > 0)
			break;
		want -= (double)hist[b];
	}
	from = (double)ow_bucket_from(b);
	if (b == OW_HIST_BUCKETS - 1)
		return from; /* it has no end */
	width = (double)ow_bucket_to(b) - from;
	return from + width * want / (double)hist[b];
}
