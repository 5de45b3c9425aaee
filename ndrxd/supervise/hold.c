/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.c - maintenance mode: ndrxd starts nothing by itself
 */
#include "ndrxd/supervise/hold.h"

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "ndrxd/clients/client.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/servers/inst.h"

static void apply(struct ndrxd *d, bool on)
{
	size_t i;

	d->hold = on;
	for (i = 0; i < d->n_insts; i++)
		d->insts[i]->au.policy.hold = on;
	for (i = 0; i < d->n_clients; i++)
		d->clients[i]->au.policy.hold = on;
}

/* In the order of the configuration, all at once: they have run together. */
static void release(struct ndrxd *d)
{
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (d->insts[i]->au.held)
			ow_inst_event(d->insts[i], OW_AUTO_RESPAWN_DUE);
	for (i = 0; i < d->n_clients; i++)
		if (d->clients[i]->au.held)
			ow_client_event(d->clients[i], OW_AUTO_RESPAWN_DUE);
	d->groups_due = true;
}

bool ow_hold_set(struct ndrxd *d, bool on)
{
	bool was = d->hold;

	if (d->dom == NULL || d->ipc_gone)
		return false;
	/* First on record: should ndrxd die, the next one does the rest. */
	atomic_store(&d->dom->tables->head->hold, on);
	apply(d, on);
	if (!on && was)
		release(d);
	return on != was;
}

void ow_hold_recall(struct ndrxd *d)
{
	if (atomic_load(&d->dom->tables->head->hold) == 0)
		return;
	log_warn("maintenance mode is on: nothing is started by itself");
	apply(d, true);
}
