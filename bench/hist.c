/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hist.c - logarithmic buckets with a linear division in each
 */
#include "bench/hist.h"

#define SUB_BITS 5

static unsigned int slot_of(uint64_t v)
{
	unsigned int e;

	if (v < OW_HIST_SUB)
		return (unsigned int)v;
	e = 63 - (unsigned int)__builtin_clzll(v);
	return (e - SUB_BITS + 1) * OW_HIST_SUB +
	       (unsigned int)((v >> (e - SUB_BITS)) & (OW_HIST_SUB - 1));
}

/* The middle of a slot. */
static uint64_t value_of(unsigned int slot)
{
	unsigned int e = slot / OW_HIST_SUB, low = slot % OW_HIST_SUB;
	uint64_t width;

	if (e == 0)
		return slot;
	width = UINT64_C(1) << (e - 1);
	return (OW_HIST_SUB + low) * width + width / 2;
}

void ow_hist_add(struct ow_hist *h, uint64_t ns)
{
	h->slot[slot_of(ns)]++;
	h->count++;
	if (ns > h->max)
		h->max = ns;
}

void ow_hist_merge(struct ow_hist *to, const struct ow_hist *from)
{
	unsigned int i;

	for (i = 0; i < OW_HIST_SLOTS; i++)
		to->slot[i] += from->slot[i];
	to->count += from->count;
	if (from->max > to->max)
		to->max = from->max;
}

uint64_t ow_hist_quantile(const struct ow_hist *h, double part)
{
	uint64_t seen = 0, want = (uint64_t)(part * (double)h->count);
	unsigned int i;

	if (h->count == 0)
		return 0;
	for (i = 0; i < OW_HIST_SLOTS; i++) {
		seen += h->slot[i];
		if (seen > want)
			return value_of(i) < h->max ? value_of(i) : h->max;
	}
	return h->max;
}
