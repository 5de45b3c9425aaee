/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - the statistics of a server
 */
#include "libatmisrv/figures.h"

#include <stdatomic.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"
#include "libatmi/wire/msg.h"
#include "libatmisrv/server.h"

#define LOAD(p)	    atomic_load_explicit((p), memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
/* One writer: no locked instruction is needed. */
#define COUNT(p, n) STORE((p), LOAD(p) + (n))

void ow_figures_reset(struct ow_adv *a)
{
	size_t from = offsetof(struct ow_adv, ok);

	memset((char *)a + from, 0, sizeof(*a) - from);
	STORE(&a->depth_peak, 0);
}

void ow_figures_woken(struct ow_adv *a, bool empty)
{
	COUNT(&a->wakeups, 1);
	if (empty)
		COUNT(&a->vain, 1);
}

/* A message that overtook others says nothing about the front of the queue. */
void ow_figures_taken(struct ow_adv *a, struct ow_offer *o,
		      const struct ow_msg *m)
{
	if (o->prio_low == 0 || m->prio < o->prio_low)
		o->prio_low = m->prio;
	if (m->prio <= o->prio_low && m->sent_ns > LOAD(&a->front_ns))
		STORE(&a->front_ns, m->sent_ns);
}

void ow_figures_begin(struct ow_adv *a, const struct ow_msg *m, uint64_t now)
{
	uint64_t us = m->sent_ns != 0 && now > m->sent_ns
			      ? (now - m->sent_ns) / OW_NS_PER_US
			      : 0;

	COUNT(&a->bytes, m->len);
	COUNT(&a->wait_sum_us, us);
	if (us > LOAD(&a->wait_max_us))
		STORE(&a->wait_max_us, us);
	COUNT(&a->wait_hist[ow_bucket_of(us)], 1);
}

void ow_figures_end(struct ow_adv *a, bool failed, uint64_t us)
{
	COUNT(failed ? &a->fail : &a->ok, 1);
	STORE(&a->last_us, us);
	COUNT(&a->sum_us, us);
	if (us > LOAD(&a->max_us))
		STORE(&a->max_us, us);
	if (us < LOAD(&a->min_us) || LOAD(&a->min_us) == 0)
		STORE(&a->min_us, us != 0 ? us : 1);
	COUNT(&a->hist[ow_bucket_of(us)], 1);
}

void ow_figures_failed_after_all(struct ow_adv *a)
{
	COUNT(&a->ok, -1);
	COUNT(&a->fail, 1);
}

void ow_figures_depth(struct ow_adv *a, uint32_t depth, uint64_t now)
{
	if (depth > LOAD(&a->depth_peak))
		STORE(&a->depth_peak, depth);
	if (depth == 0 && now > LOAD(&a->front_ns))
		STORE(&a->front_ns, now);
}
