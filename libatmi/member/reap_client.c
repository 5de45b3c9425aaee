/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap_client.c - clear the slots of dead clients
 */
#include <stdatomic.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/reap.h"
#include "libatmi/transport/inbox.h"
#include "libatmi/transport/mail/socket.h"
#include "libatmi/transport/transport.h"

/* Clear a slot whose `owner` was found dead after `gen` was read. The steps, and
 * what a kill between them leaves: doc/design/crash.md. False: another process
 * has done it, or has taken the slot. */
static bool reap_client(struct ow_domain *d, uint32_t slot, ow_proc_id owner,
			uint32_t gen)
{
	struct ow_clt *c = &d->tables->clt[slot];
	struct ow_queue *q = NULL;

	if ((gen & 1) != 0 && !ow_clt_close(d->tables, slot, gen))
		return false;
	OW_FAULT("reap_client.seize");
	if (!ow_clt_seize(d->tables, slot, owner))
		return false;
	ow_clt_close(d->tables, slot, atomic_load(&c->gen));
	OW_FAULT("reap_client.queue");
	if (ow_queue_open(d, ow_mailbox(slot), &q) == 0)
		ow_reap_discard(d, q);
	ow_queue_close(q);
	ow_inbox_discard(d, slot);
	ow_mail_socket_remove(d, slot);
	OW_FAULT("reap_client.free");
	ow_clt_free(d->tables, slot);
	return true;
}

/* One process may have thousands of contexts, in neighbouring slots: `known` is
 * the last one found alive. */
static bool owner_lives(const struct ow_tables *t, ow_proc_id owner,
			ow_proc_id *known)
{
	if (owner == *known)
		return true;
	if (!ow_tables_lives(t, owner))
		return false;
	*known = owner;
	return true;
}

int ow_reap_clients(struct ow_domain *d)
{
	struct ow_tables *t = d->tables;
	ow_proc_id owner, known = 0;
	uint32_t i, gen, high = atomic_load(&t->head->clt_high);
	bool free_seen = false;
	int n = 0;

	for (i = 0; i < high && i < OW_CLT_MAX; i++) {
		gen = atomic_load(&t->clt[i].gen);
		owner = atomic_load(&t->clt[i].owner);
		if (owner == 0 && !free_seen) {
			/* A killed process did not report it. */
			if (i < ow_hint_slot(atomic_load(&t->head->clt_hint)))
				ow_hint_lower(&t->head->clt_hint, i);
			free_seen = true;
		}
		if (owner != 0 && !owner_lives(t, owner, &known))
			n += reap_client(d, i, owner, gen);
	}
	ow_reap_blocks(d);
	return n;
}

int ow_reap_unwatched(struct ow_domain *d)
{
	const struct ow_tables_head *h = d->tables->head;

	return ow_proc_alive(atomic_load(&h->ndrxd_pid),
			     atomic_load(&h->ndrxd_start))
		   ? 0 : ow_reap_clients(d);
}
