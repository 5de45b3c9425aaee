/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pqstat.c - samples of queue depths
 *
 * The samples are in the shared tables, where xadmin and ndrxtop read them
 * without asking ndrxd; struct ow_svc describes the protocol.
 */
#include "ndrxd/supervise/pqstat.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/transport/transport.h"
#include "ndrxd/model/ndrxd.h"

static void add_sample(struct ow_svc *s, uint32_t depth)
{
	uint32_t n = atomic_load(&s->pq_count);

	atomic_store(&s->pq[n % OW_PQ_SAMPLES],
		     (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX));
	atomic_store(&s->pq_sum, atomic_load(&s->pq_sum) + depth);
	if (depth > atomic_load(&s->pq_peak))
		atomic_store(&s->pq_peak, depth);
	atomic_store(&s->pq_count, n + 1);
}

static void sample_all(struct ow_domain *dom)
{
	struct ow_tables *t = dom->tables;
	uint32_t i, depth, n = atomic_load(&t->head->nsvc);
	char name[OW_SVC_NAME];

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		uint32_t at = atomic_load(&t->head->svc_list[i]);
		struct ow_svc *s = &t->svc[at % OW_SVC_MAX];

		if ((atomic_load(&s->gen) & 1) == 0)
			continue; /* it has no queue */
		memcpy(name, s->name, sizeof(name));
		name[sizeof(name) - 1] = '\0';
		if (ow_queue_peek(dom, ow_service_queue(name), &depth) == 0)
			add_sample(s, depth);
	}
}

void ow_pqstat_tick(struct ndrxd *d, uint64_t now_ms)
{
	if (!d->app.gather_pq_stats ||
	    now_ms - d->looks.t_pqstat < d->app.sanity_ms)
		return;
	d->looks.t_pqstat = now_ms;
	sample_all(d->dom);
}
