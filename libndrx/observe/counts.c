/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counts.c - the counters of an offer, copied out of the shared tables
 */
#include "libndrx/observe/counts.h"

#include <string.h>

#include "libatmi/domain/tables.h"

static uint64_t load(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_acquire);
}

void ow_counts_copy(const struct ow_adv *a, struct ow_counts *ret)
{
	uint32_t i;

	memset(ret, 0, sizeof(*ret));
	ret->n[OW_CNT_OK] = load(&a->ok);
	ret->n[OW_CNT_FAIL] = load(&a->fail);
	ret->n[OW_CNT_SUM_US] = load(&a->sum_us);
	ret->n[OW_CNT_WAIT_US] = load(&a->wait_sum_us);
	ret->n[OW_CNT_BYTES] = load(&a->bytes);
	ret->n[OW_CNT_WAKEUPS] = load(&a->wakeups);
	ret->n[OW_CNT_VAIN] = load(&a->vain);
	for (i = 0; i < OW_HIST_BUCKETS; i++) {
		ret->n[OW_CNT_HIST + i] = load(&a->hist[i]);
		ret->n[OW_CNT_WAIT_HIST + i] = load(&a->wait_hist[i]);
	}
}

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

void ow_counts_grow(struct ow_counts *sum, struct ow_counts *last,
		    const struct ow_counts *now)
{
	int i;

	for (i = 0; i < OW_CNT_END; i++)
		sum->n[i] += now->n[i] >= last->n[i] ? now->n[i] - last->n[i]
						     : now->n[i];
	*last = *now;
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
