/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap_block.c - reclaim the blocks of dead processes
 *
 * The transport knows what a block of each state means (its orphans.c).
 */
#include "libatmi/domain/prc.h"
#include "libatmi/member/reap.h"
#include "libatmi/member/refuse.h"
#include "libatmi/transport/transport.h"

int ow_reap_blocks(struct ow_domain *d)
{
	return d->transport->reclaim(d, ow_refuse);
}

int ow_reap_blocks_of(struct ow_domain *d, int32_t pid, uint64_t start)
{
	uint32_t prc = ow_prc_find(d->tables, pid, start);

	if (prc == 0 || d->transport->reclaim_of == NULL)
		return 0;
	return d->transport->reclaim_of(d, prc, ow_refuse);
}
