/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orphans.c - what dead processes leave on shm: blocks in known states
 *
 * block.h lists the states; the state says all. Whether a block lies in a
 * queue or mailbox is looked up there, and cannot change in one direction:
 * its owner, who would have put it in, is dead.
 */
#include <stdatomic.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/shm/mailbox.h"
#include "libatmi/transport/shm/shm.h"

struct reclaim {
	struct ow_domain *dom;
	ow_refuse_fn *refuse;
};

/* The header of an orphan, checked; false: nothing that can be answered. */
static bool read_head(struct ow_domain *d, const struct ow_orphan *o,
		      struct ow_msg *ret)
{
	const struct ow_msg *m = ow_block_msg(d->blocks, o->ref);

	if (m == NULL)
		return false;
	*ret = *m;
	ret->block = o->ref;
	return ow_msg_check(ret, sizeof(*ret)) == 0;
}

/* The dead process had the request in hand. False: its caller's mailbox is
 * full; the next sweep tries again. */
static bool refuse(const struct reclaim *r, const struct ow_msg *m)
{
	OW_FAULT("reclaim.refuse");
	return r->refuse(r->dom, m) == 0;
}

static bool see_queued(const struct reclaim *r, const struct ow_orphan *o,
		       const struct ow_msg *m)
{
	struct ow_domain *d = r->dom;
	struct ow_shmq *q = NULL;
	bool there;

	if (ow_shmq_open(d, d->tables->svc[m->svc].name, &q) != 0)
		return refuse(r, m);
	there = ow_shmq_holds(q, o->ref);
	ow_shmq_close(q);
	if (!there)
		return refuse(r, m);
	ow_orphan_disown(d->blocks, o); /* it stays, its sender's slot goes */
	return false;
}

/* A whole reply that its sender did not live to put into the mailbox. It stays
 * MAILED all the way, so a sweeper killed at any step leaves what it found. A
 * full mailbox: the next sweep tries again. */
static bool deliver(struct ow_domain *d, const struct ow_orphan *o,
		    uint32_t slot)
{
	int r;

	OW_FAULT("reclaim.inherit");
	if (!ow_orphan_inherit(d->blocks, o))
		return false;
	OW_FAULT("reclaim.mailed");
	r = ow_mail_put(d, slot, o->ref);
	if (r == OW_MAIL_FULL)
		ow_orphan_leave(d->blocks, o->ref);
	else if (r != 0)
		ow_block_free(d->blocks, o->ref);
	return false;
}

static bool see_mailed(struct ow_domain *d, const struct ow_orphan *o,
		       const struct ow_msg *m)
{
	if (m->clt_slot >= atomic_load(&d->tables->head->clt_high) ||
	    atomic_load(&d->tables->clt[m->clt_slot].gen) != m->clt_gen)
		return true;
	if (!ow_mail_holds(d, m->clt_slot, o->ref))
		return deliver(d, o, m->clt_slot);
	ow_orphan_disown(d->blocks, o);
	return false;
}

/* Decide about one orphan: true, its block is freed. */
static bool see(const struct ow_orphan *o, void *arg)
{
	const struct reclaim *r = arg;
	struct ow_msg m;

	if (o->kind == OW_BLOCK_HELD || !read_head(r->dom, o, &m))
		return true;
	switch (o->kind) {
	case OW_BLOCK_QUEUED:
		return see_queued(r, o, &m);
	case OW_BLOCK_MAILED:
		return see_mailed(r->dom, o, &m);
	default:
		return refuse(r, &m);
	}
}

int ow_shm_reclaim_of(struct ow_domain *d, uint32_t prc, ow_refuse_fn *tell)
{
	struct reclaim r = { .dom = d, .refuse = tell };

	return ow_blocks_sweep(d->blocks, prc, see, &r);
}

int ow_shm_reclaim(struct ow_domain *d, ow_refuse_fn *tell)
{
	return ow_shm_reclaim_of(d, 0, tell);
}

/* The block stays TAKEN, as if its owner were dead. */
void ow_shm_postpone(struct ow_envelope *request)
{
	ow_orphan_leave(request->blocks, request->payload.block);
	request->payload.owner = OW_PAYLOAD_UNOWNED;
}

void ow_shm_withdraw(struct ow_domain *d, const char *service, uint32_t srvid)
{
	struct ow_shmq *q = NULL;

	if (ow_shmq_open(d, service, &q) == 0)
		ow_shmq_leave(q, srvid);
	ow_shmq_close(q);
}
