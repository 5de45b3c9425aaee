/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - look for leftovers of calls in an idle domain
 */
#include "bench/order.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/domain/domain.h"
#include "libatmi/wire/msg.h"
#include "libatmi/transport/transport.h"
#include "libatmi/domain/tables.h"

static bool server_is_idle(const struct ow_tables *t, uint32_t id, char *why,
			   size_t size)
{
	const struct ow_msg *in_hand = (const void *)ow_tables_rx(t, id);
	uint32_t state = atomic_load(&t->srv[id].state);
	uint32_t row = atomic_load(&t->srv[id].cur_adv);

	if (state == OW_SRV_IDLE && row == 0 && in_hand->magic == 0)
		return true;
	snprintf(why, size, "server %u: state %u, row %u, message in hand: %s",
		 id, state, row, in_hand->magic == 0 ? "no" : "yes");
	return false;
}

static bool servers_are_idle(const struct ow_tables *t, size_t servers,
			     char *why, size_t size)
{
	uint32_t id;
	size_t n = 0;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (!ow_srv_alive(t, id))
			continue;
		if (!server_is_idle(t, id, why, size))
			return false;
		n++;
	}
	if (n == servers)
		return true;
	snprintf(why, size, "%zu of %zu servers live", n, servers);
	return false;
}

static bool clients_are_gone(const struct ow_tables *t, char *why, size_t size)
{
	uint32_t i, n = atomic_load(&t->head->clt_high);

	for (i = 0; i < n; i++)
		if (atomic_load(&t->clt[i].gen) & 1) {
			snprintf(why, size, "client slot %u is taken", i);
			return false;
		}
	return true;
}

bool ow_order_check(struct ow_domain *d, size_t servers, char *why,
		    size_t size)
{
	uint64_t blocks = 0, bytes = 0;
	uint32_t depth = 0;

	why[0] = '\0';
	ow_blocks_usage(d->blocks, &blocks, &bytes);
	if (blocks > 0) {
		snprintf(why, size, "%llu blocks in use",
			 (unsigned long long)blocks);
		return false;
	}
	if (ow_queue_peek(d, ow_service_queue("BALANCE"), &depth) != 0 ||
	    depth > 0) {
		snprintf(why, size, "queue is gone, or holds %u messages",
			 depth);
		return false;
	}
	return clients_are_gone(d->tables, why, size) &&
	       servers_are_idle(d->tables, servers, why, size);
}
