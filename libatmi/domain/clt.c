/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clt.c - client slots of the shared tables: one for each context
 */
#include "libatmi/domain/tables.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/prc.h"

/* The first free slot from the hint on. A slot at or above `clt_high` is free
 * and must get memory before it is read. Lock held. */
static int find_free(struct ow_tables *t, uint32_t *ret_slot)
{
	uint32_t i, at, hint = atomic_load(&t->head->clt_hint);
	int r;

	for (i = 0; i < OW_CLT_MAX; i++) {
		at = (hint + i) % OW_CLT_MAX;
		if (at >= atomic_load(&t->head->clt_high)) {
			r = ow_tables_reserve(t, &t->clt[at],
					      sizeof(t->clt[at]));
			if (r != 0)
				return r;
		}
		if ((atomic_load(&t->clt[at].gen) & 1) == 0) {
			*ret_slot = at;
			return 0;
		}
	}
	return OW_TABLES_LIMIT;
}

int ow_clt_take(struct ow_tables *t, uint32_t *ret_slot)
{
	struct ow_clt *c;
	uint32_t at = 0, prc;
	int r;

	if (ow_proc_start_self() == 0)
		return -EMFILE; /* cannot read /proc: would count as dead */
	prc = ow_prc_self(t);
	if (prc == 0)
		return OW_TABLES_NOSPACE;
	ow_tables_lock(t);
	r = find_free(t, &at);
	if (r != 0) {
		ow_tables_unlock(t);
		return r;
	}
	c = &t->clt[at];
	OW_FAULT("clt_take.start");
	atomic_store(&c->start, ow_proc_start_self());
	OW_FAULT("clt_take.pid");
	atomic_store(&c->pid, getpid());
	OW_FAULT("clt_take.counters");
	atomic_store(&c->calls, 0);
	atomic_store(&c->timeouts, 0);
	atomic_store(&c->late, 0);
	atomic_store(&c->outstanding, 0);
	atomic_store(&c->postponed, 0);
	atomic_store(&c->prc, prc);
	memset(c->queue, 0, sizeof(c->queue));
	memset(c->cltid, 0, sizeof(c->cltid));
	/* Scans must reach the slot before it counts as in use. */
	OW_FAULT("clt_take.high");
	ow_tables_raise_mark(&t->head->clt_high, at + 1);
	OW_FAULT("clt_take.gen");
	atomic_fetch_add(&c->gen, 1);
	OW_FAULT("clt_take.hint");
	atomic_store(&t->head->clt_hint, at + 1);
	OW_FAULT("clt_take.unlock");
	ow_tables_unlock(t);
	*ret_slot = at;
	return 0;
}

void ow_clt_clear(struct ow_tables *t, uint32_t slot)
{
	struct ow_clt *c = &t->clt[slot];

	if ((atomic_load(&c->gen) & 1) != 0)
		atomic_fetch_add(&c->gen, 1);
	OW_FAULT("clt_clear.pid");
	atomic_store(&c->pid, 0);
	OW_FAULT("clt_clear.start");
	atomic_store(&c->start, 0);
	OW_FAULT("clt_clear.hint");
	if (slot < atomic_load(&t->head->clt_hint))
		atomic_store(&t->head->clt_hint, slot);
}
