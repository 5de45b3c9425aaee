/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yield.c - decide whether a caller yields the CPU before it sleeps
 */
#include "libatmi/waking/yield.h"

#define MISSES_MEAN 16 /* each wait counts one part in so many */

enum ow_yield_step ow_yield_begin(struct ow_yield *p,
				  const struct ow_waking *k)
{
	bool timed;

	if (p->longs > OW_YIELD_LONGS / 2)
		return OW_YIELD_NOT;
	if (p->skip > 0) {
		p->skip--;
		return OW_YIELD_NOT;
	}
	if (p->cheap < k->yield_cheap_enough)
		return OW_YIELD_TIMED;
	timed = p->untimed == 0;
	if (++p->untimed >= OW_WAKING_YIELD_MEASURE)
		p->untimed = 0;
	return timed ? OW_YIELD_TIMED : OW_YIELD_PLAIN;
}

/* A time counts four times `yield_costly_ns` at most: one long slice is no
 * habit. */
void ow_yield_end(struct ow_yield *p, const struct ow_waking *k,
		  uint64_t took_ns)
{
	uint64_t pause = 2 * (uint64_t)p->pause;
	uint64_t most = 4 * k->yield_costly_ns;

	p->mean_ns -= p->mean_ns / k->yield_mean;
	p->mean_ns += (took_ns < most ? took_ns : most) / k->yield_mean;
	if (took_ns < k->yield_costly_ns) {
		if (p->cheap < k->yield_cheap_enough &&
		    ++p->cheap == k->yield_cheap_enough)
			p->pause = 0;
		return;
	}
	p->cheap = 0;
	if (p->mean_ns < k->yield_costly_ns)
		return;
	if (pause == 0)
		pause = k->yield_pause_min;
	p->pause = (uint32_t)(pause < k->yield_pause_max ? pause
							 : k->yield_pause_max);
	p->skip = p->pause;
}

void ow_yield_found(struct ow_yield *p, const struct ow_waking *k, bool came)
{
	uint64_t pause = 2 * (uint64_t)p->miss_pause;

	p->misses -= p->misses / MISSES_MEAN;
	if (!came)
		p->misses += OW_YIELD_ALL / MISSES_MEAN;
	if (p->misses < OW_YIELD_ALL / 2)
		p->miss_pause = 0;
	if (came || k->yield_misses >= 100 ||
	    p->misses <= OW_YIELD_ALL / 100 * k->yield_misses)
		return;
	if (pause == 0)
		pause = k->yield_pause_min;
	p->miss_pause = (uint32_t)(pause < k->yield_miss_pause_max
				       ? pause
				       : k->yield_miss_pause_max);
	if (p->skip < p->miss_pause)
		p->skip = p->miss_pause;
}
