/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap_block.c - reclaim the blocks of dead processes, and what was postponed
 *
 * The transport knows what a block of each state means (its orphans.c).
 */
#include <stdatomic.h>

#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/reap.h"
#include "libatmi/member/refuse.h"
#include "libatmi/transport/transport.h"

#define SWEEPS 16 /* to look at all process slots, if most are of the dead */

int ow_reap_blocks(struct ow_domain *d)
{
	return d->transport->reclaim(d, ow_refuse);
}

int ow_reap_blocks_of(struct ow_domain *d, int32_t pid, uint64_t start)
{
	uint32_t prc = ow_prc_find(d->tables, pid, start);

	return prc != 0 ? d->transport->reclaim_of(d, prc, ow_refuse) : 0;
}

/* `postponed` is cleared before the sweep and set after a block was left: none
 * is missed. This process lives, so the sweep visits postponed refusals only. */
void ow_reap_postponed(struct ow_domain *d, struct ow_clt *c)
{
	if (atomic_exchange(&c->postponed, 0) != 0)
		d->transport->reclaim_of(d, ow_prc_self(d->tables), ow_refuse);
}

/* No reply can be sent yet: leave the request to the next sweep. */
static int refuse_later(struct ow_domain *d, const struct ow_msg *request)
{
	(void)d;
	(void)request;
	return OW_QUEUE_FULL;
}

int ow_reap_need_slot(struct ow_domain *d)
{
	uint32_t prc;
	int r = ow_prc_need(d->tables, &prc), sweeps;

	for (sweeps = 0; r == OW_TABLES_CROWDED && sweeps < SWEEPS; sweeps++) {
		d->transport->reclaim(d, refuse_later);
		r = ow_prc_need(d->tables, &prc);
	}
	return r;
}
