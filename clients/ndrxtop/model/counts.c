/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counts.c - counters that only grow, and what they grew by in a while
 */
#include "clients/ndrxtop/model/counts.h"

#include <math.h>

#include "libatmi/base/clock.h"

void ow_counts_add(struct ow_counts *to, const struct ow_counts *more)
{
	int i;

	for (i = 0; i < OW_CNT_END; i++)
		to->n[i] += more->n[i];
}

void ow_counts_sub(const struct ow_counts *now, const struct ow_counts *before,
		   struct ow_counts *ret)
{
	int i;

	for (i = 0; i < OW_CNT_END; i++)
		ret->n[i] = now->n[i] - before->n[i];
}

bool ow_counts_fell(const struct ow_counts *now,
		    const struct ow_counts *before)
{
	int i;

	for (i = 0; i < OW_CNT_END; i++)
		if (now->n[i] < before->n[i])
			return true;
	return false;
}

uint64_t ow_counts_calls(const struct ow_counts *c)
{
	return c->n[OW_CNT_OK] + c->n[OW_CNT_FAIL];
}

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
