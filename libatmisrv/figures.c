/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - the statistics of a server
 */
#include "libatmisrv/figures.h"

#include <stdatomic.h>
#include <string.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"
#include "libatmi/wire/msg.h"
#include "libatmisrv/server.h"

void ow_figures_reset(struct ow_adv *a)
{
	size_t from = offsetof(struct ow_adv, ok);

	memset((char *)a + from, 0, sizeof(*a) - from);
	ow_store_relaxed(&a->depth_peak, 0);
}

void ow_figures_woken(struct ow_adv *a, bool empty)
{
	ow_count_own(&a->wakeups, 1);
	if (empty)
		ow_count_own(&a->vain, 1);
}

/* A message that overtook others says nothing about the front of the queue. */
void ow_figures_taken(struct ow_adv *a, struct ow_offer *o,
		      const struct ow_msg *m)
{
	if (o->prio_low == 0 || m->prio < o->prio_low)
		o->prio_low = m->prio;
	if (m->prio <= o->prio_low &&
	    m->sent_ns > ow_load_relaxed(&a->front_ns))
		ow_store_relaxed(&a->front_ns, m->sent_ns);
}

void ow_figures_begin(struct ow_adv *a, const struct ow_msg *m, uint64_t now)
{
	uint64_t us = m->sent_ns != 0 && now > m->sent_ns
			      ? (now - m->sent_ns) / OW_NS_PER_US
			      : 0;

	ow_count_own(&a->bytes, m->len);
	ow_count_own(&a->wait_sum_us, us);
	if (us > ow_load_relaxed(&a->wait_max_us))
		ow_store_relaxed(&a->wait_max_us, us);
	ow_count_own(&a->wait_hist[ow_bucket_of(us)], 1);
}

void ow_figures_end(struct ow_adv *a, bool failed, uint64_t us)
{
	ow_count_own(failed ? &a->fail : &a->ok, 1);
	ow_store_relaxed(&a->last_us, us);
	ow_count_own(&a->sum_us, us);
	if (us > ow_load_relaxed(&a->max_us))
		ow_store_relaxed(&a->max_us, us);
	if (us < ow_load_relaxed(&a->min_us) ||
	    ow_load_relaxed(&a->min_us) == 0)
		ow_store_relaxed(&a->min_us, us != 0 ? us : 1);
	ow_count_own(&a->hist[ow_bucket_of(us)], 1);
}

void ow_figures_failed_after_all(struct ow_adv *a)
{
	ow_count_own(&a->ok, -1);
	ow_count_own(&a->fail, 1);
}

void ow_figures_depth(struct ow_adv *a, uint32_t depth, uint64_t now)
{
	if (depth > ow_load_relaxed(&a->depth_peak))
		ow_store_relaxed(&a->depth_peak, depth);
	if (depth == 0 && now > ow_load_relaxed(&a->front_ns))
		ow_store_relaxed(&a->front_ns, now);
}
