/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap_client.c - clear the slots of dead clients
 */
#include <stdatomic.h>

#include "libatmi/domain/tables.h"
#include "libatmi/member/reap.h"
#include "libatmi/transport/transport.h"

static void reap_client(struct ow_domain *d, uint32_t slot)
{
	struct ow_clt *c = &d->tables->clt[slot];
	struct ow_queue_id id = ow_reply_queue(slot);
	struct ow_queue *q = NULL;

	ow_tables_lock(d->tables);
	if ((atomic_load(&c->gen) & 1) == 0 ||
	    ow_proc_alive(atomic_load(&c->pid), atomic_load(&c->start))) {
		ow_tables_unlock(d->tables);
		return;
	}
	if (ow_queue_open(d, id, &q) == 0)
		ow_queue_remove(d, id);
	ow_clt_clear(d->tables, slot);
	if (q != NULL)
		ow_reap_discard(d, q);
	ow_queue_close(q);
	ow_tables_unlock(d->tables);
}

/* The last process found alive: one process may have thousands of contexts,
 * in neighbouring slots. */
struct living {
	int32_t pid;
	uint64_t start;
};

static bool owner_lives(const struct ow_clt *c, struct living *known)
{
	struct living owner = { .pid = atomic_load(&c->pid),
				.start = atomic_load(&c->start) };

	if (owner.pid != 0 && owner.pid == known->pid &&
	    owner.start == known->start)
		return true;
	if (!ow_proc_alive(owner.pid, owner.start))
		return false;
	*known = owner;
	return true;
}

int ow_reap_clients(struct ow_domain *d)
{
	struct ow_tables *t = d->tables;
	struct living known = { 0 };
	uint32_t i, high = atomic_load(&t->head->clt_high);
	int n = 0;

	for (i = 0; i < high && i < OW_CLT_MAX; i++) {
		if ((atomic_load(&t->clt[i].gen) & 1) == 0 ||
		    owner_lives(&t->clt[i], &known))
			continue;
		reap_client(d, i);
		n++;
	}
	ow_reap_blocks(d);
	return n;
}
