/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clt.c - client slots of the shared tables: one for each context
 *
 * Taken and given back without the domain lock: a client that is stopped here
 * holds nothing but its slot (doc/design/crash.md).
 */
#include "libatmi/domain/tables.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/base/atomics.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/hint.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/wait_note.h"

/* Make a slot from `from` on this process's: 0, LIMIT, NOSPACE, -errno. A slot
 * must have memory before it is read. */
static int claim(struct ow_tables *t, ow_proc_id me, uint32_t from,
		 uint32_t *ret_slot)
{
	ow_proc_id none;
	uint32_t i, at;
	int r;

	for (i = 0; i < OW_CLT_MAX; i++) {
		at = (from + i) % OW_CLT_MAX;
		if (at >= atomic_load(&t->head->clt_high)) {
			r = ow_tables_reserve(t, &t->clt[at],
					      sizeof(t->clt[at]));
			if (r == 0)
				r = ow_tables_reserve(t, &t->did[at],
						      sizeof(t->did[at]));
			if (r != 0)
				return r;
			OW_FAULT("clt_take.high");
			/* Scans must reach the slot before it is used. */
			ow_tables_raise_mark(&t->head->clt_high, at + 1);
		}
		OW_FAULT("clt_take.claim");
		none = 0;
		if (atomic_load(&t->clt[at].owner) == 0 &&
		    atomic_compare_exchange_strong(&t->clt[at].owner, &none,
						   me)) {
			*ret_slot = at;
			return 0;
		}
	}
	return OW_TABLES_LIMIT;
}

int ow_clt_take(struct ow_tables *t, uint32_t *ret_slot)
{
	uint32_t at = 0, prc = 0, hint;
	ow_proc_id me = ow_proc_id_self();
	struct ow_clt *c;
	int r;

	if (me == 0)
		return -EMFILE; /* cannot read /proc: would count as dead */
	r = ow_prc_need(t, &prc);
	if (r != 0)
		return r;
	hint = atomic_load(&t->head->clt_hint);
	r = claim(t, me, ow_hint_slot(hint), &at);
	if (r != 0)
		return r;
	c = &t->clt[at];
	OW_FAULT("clt_take.counters");
	atomic_store(&c->calls, 0);
	atomic_store(&c->timeouts, 0);
	atomic_store(&c->late, 0);
	atomic_store(&c->outstanding, 0);
	atomic_store(&c->postponed, 0);
	atomic_store(&c->prc, prc);
	ow_wait_note_clear(c);
	atomic_store(&c->oneway, 0);
	memset(c->cltid, 0, sizeof(c->cltid));
	OW_FAULT("clt_take.gen");
	atomic_store(&c->gen, (atomic_load(&c->gen) + 1) | 1);
	OW_FAULT("clt_take.hint");
	ow_hint_raise(&t->head->clt_hint, hint, at + 1);
	OW_FAULT("clt_take.end");
	*ret_slot = at;
	return 0;
}

bool ow_clt_close(struct ow_tables *t, uint32_t slot, uint32_t gen)
{
	bool ended = (gen & 1) != 0 &&
		     atomic_compare_exchange_strong(&t->clt[slot].gen, &gen,
						    gen + 1);

	/* The replies are drained next. A server puts its reply, then reads
	 * the generation. */
	ow_fence_after_rmw();
	return ended;
}

bool ow_clt_seize(struct ow_tables *t, uint32_t slot, ow_proc_id dead)
{
	ow_proc_id me = ow_proc_id_self();

	return me != 0 && atomic_compare_exchange_strong(
			      &t->clt[slot].owner, &dead, me);
}

void ow_clt_free(struct ow_tables *t, uint32_t slot)
{
	OW_FAULT("clt_free.owner");
	atomic_store(&t->clt[slot].owner, 0);
	OW_FAULT("clt_free.hint");
	ow_hint_lower(&t->head->clt_hint, slot);
}

void ow_clt_clear(struct ow_tables *t, uint32_t slot)
{
	ow_clt_close(t, slot, atomic_load(&t->clt[slot].gen));
	ow_clt_free(t, slot);
}

/* Of "srv,PROGRAM,SRVID,..." and "clt,PROGRAM,..." */
char *ow_clt_queue(const struct ow_tables *t, uint32_t slot, char *buf)
{
	const struct ow_clt *c = &t->clt[slot];
	uint32_t gen = atomic_load(&c->gen);
	char id[sizeof(c->cltid) + 1];
	const char *kind, *program;
	char *rest = id;

	memcpy(id, c->cltid, sizeof(c->cltid));
	id[OW_CLTID_TAIL] = '\0';
	kind = strsep(&rest, ",");
	program = strsep(&rest, ",");
	if (program == NULL)
		buf[0] = '\0';
	else if (c->srvid != 0)
		snprintf(buf, OW_CLT_QUEUE, "srv,reply,%.31s,%u,%u,%u", program,
			 c->srvid, slot, gen);
	else
		snprintf(buf, OW_CLT_QUEUE, "%.3s,reply,%.31s,%u,%u", kind,
			 program, slot, gen);
	return buf;
}

uint64_t ow_done_sum(const struct ow_tables *t, enum ow_done what)
{
	uint32_t i, high = atomic_load(&t->head->clt_high);
	uint64_t n = 0;

	for (i = 0; i < OW_DONE_SHARDS; i++)
		n += ow_load_relaxed(&t->head->done[i].n[what]);
	for (i = 0; i < high && i < OW_CLT_MAX; i++)
		n += ow_load_relaxed(&t->did[i].n[what]);
	return n;
}
