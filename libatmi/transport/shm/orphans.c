/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orphans.c - reclaim the blocks that dead processes leave on shm
 *
 * block.h lists the states of a block and what is done for each. Whether a
 * QUEUED or MAILED block lies in its queue or mailbox is looked up there. A
 * block that does not lie there never will: its owner, the only process that
 * could put it, is dead.
 */
#include <stdatomic.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/inbox.h"
#include "libatmi/transport/shm/mailbox.h"
#include "libatmi/transport/record.h"
#include "libatmi/transport/shm/shm.h"

#define SETTLE_NS OW_NS_PER_SEC

struct reclaim {
	struct ow_domain *dom;
	ow_settle_fn *settle;
	struct ow_record_full full;
};

/* Copy the header of an orphan; false: malformed, so no reply can be sent. */
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

static bool is_in_queue(struct ow_domain *d, const char *service, uint64_t ref)
{
	struct ow_shmq *q = NULL;
	bool is = ow_shmq_open(d, service, &q) == 0 && ow_shmq_holds(q, ref);

	ow_shmq_close(q);
	return is;
}

/* In its queue the request stays, without a sender. Else its sender died before
 * it put the request there, or a server has just taken it: then the state has
 * changed, and the request is not refused. */
static void reclaim_queued(struct reclaim *r, const struct ow_orphan *o,
			   const struct ow_msg *m)
{
	struct ow_domain *d = r->dom;
	const struct ow_svc *s = &d->tables->svc[m->svc];
	bool in_queue;

	OW_FAULT("reclaim.look");
	in_queue =
	    is_in_queue(d, s->name, o->ref) ||
	    (ow_svc_may_overflow(s) && is_in_queue(d, OW_SVC_OVERFLOW, o->ref));
	OW_FAULT("reclaim.queued");
	if (in_queue)
		ow_orphan_disown(d->blocks, o);
	else
		ow_record_settle(d, o, m, r->settle, &r->full);
}

/* Put a complete reply, whose sender died before it did so, or found the
 * mailbox full, into the mailbox. The block stays MAILED throughout: if this
 * process is killed at any step, the next sweep finds the same. */
static void deliver(struct reclaim *r, const struct ow_orphan *o,
		    const struct ow_msg *m)
{
	struct ow_domain *d = r->dom;
	int res;

	OW_FAULT("reclaim.inherit");
	if (!ow_orphan_inherit(d->blocks, o, OW_BLOCK_MAILED))
		return;
	OW_FAULT("reclaim.mailed");
	res = ow_mail_put(d, m->clt_slot, o->ref);
	if (res == OW_MAIL_FULL) {
		r->full.slot = m->clt_slot;
		ow_orphan_leave(d->blocks, o->ref);
		ow_record_tell(d, m);
	} else if (res != 0) {
		ow_block_free(d->blocks, o->ref);
	}
}

/* True: free the block, its client is gone. */
static bool reclaim_mailed(struct reclaim *r, const struct ow_orphan *o,
			   const struct ow_msg *m)
{
	struct ow_domain *d = r->dom;

	if (!ow_clt_lives(d->tables, m->clt_slot, m->clt_gen))
		return true;
	if (ow_mail_holds(d, m->clt_slot, o->ref))
		ow_orphan_disown(d->blocks, o);
	else if (m->clt_slot != r->full.slot)
		deliver(r, o, m);
	return false;
}

/* TAKEN: was the request forwarded in another block, which was QUEUED? Then
 * that is its record. If not, it stays so: the dead process was the only one that
 * could queue it. */
static bool was_handed_on(struct reclaim *r, const struct ow_orphan *o,
			  const struct ow_msg *m)
{
	struct ow_blocks *b = r->dom->blocks;

	if (m->handed == 0)
		return false;
	if (!ow_block_is_of(b, m->handed, OW_BLOCK_HELD, o->prc))
		return true;
	ow_record_keep(ow_block_msg(b, o->ref));
	return false;
}

/* A block that was to be handed on is wanted until the record that names it was
 * looked at: in the first sweep. */
static bool is_wanted(const struct ow_orphan *o)
{
	return o->address == OW_BLOCK_HANDED &&
	       ow_clock_mono_ns() - o->since_ns < SETTLE_NS;
}

/* Decide what becomes of one orphan; true: free the block. */
static bool reclaim_one(const struct ow_orphan *o, void *arg)
{
	struct reclaim *r = arg;
	struct ow_msg m;

	if (o->kind == OW_BLOCK_NOTED)
		return ow_inbox_reclaim(r->dom, o);
	if (o->kind == OW_BLOCK_HELD)
		return !is_wanted(o);
	if (!read_head(r->dom, o, &m))
		return true;
	switch (o->kind) {
	case OW_BLOCK_QUEUED:
		reclaim_queued(r, o, &m);
		return false;
	case OW_BLOCK_MAILED:
		return reclaim_mailed(r, o, &m);
	default:
		/* TAKEN: the dead process had the request in hand. If it was
		 * about to reply in the same block, the header is that of the
		 * reply, or half of it; what names the call is the same in
		 * both. */
		m.kind = OW_MSG_REQUEST;
		if (was_handed_on(r, o, &m))
			return true;
		ow_record_settle(r->dom, o, &m, r->settle, &r->full);
		return false;
	}
}

int ow_shm_reclaim_of(struct ow_domain *d, uint32_t prc, ow_settle_fn *settle)
{
	struct reclaim r = { .dom = d, .settle = settle,
			     .full = { OW_CLT_MAX } };

	return ow_blocks_sweep(d->blocks, prc, reclaim_one, &r);
}

int ow_shm_reclaim(struct ow_domain *d, ow_settle_fn *settle)
{
	return ow_shm_reclaim_of(d, 0, settle);
}

/* The block of a request is its record and stays TAKEN, the block of a reply is
 * MAILED; neither has a living owner then. */
int ow_shm_postpone(struct ow_domain *d, struct ow_envelope *e)
{
	struct ow_msg m = *e->head;
	uint64_t ref = e->payload.block;
	int r;

	if (m.kind != OW_MSG_REQUEST) {
		r = ow_shm_load(d, e, &ref);
		if (r != 0)
			return r;
		ow_block_post(d->blocks, ref, OW_BLOCK_MAILED);
	} else {
		ow_block_msg(d->blocks, ref)->tperr = m.tperr; /* its mark */
	}
	OW_FAULT("postpone.leave");
	ow_orphan_leave(d->blocks, ref);
	e->payload.owner = OW_PAYLOAD_UNOWNED;
	ow_envelope_close(e);
	ow_record_tell(d, &m);
	return 0;
}

void ow_shm_withdraw(struct ow_domain *d, const char *service, uint32_t srvid)
{
	struct ow_shmq *q = NULL;

	if (ow_shmq_open(d, service, &q) == 0)
		ow_shmq_leave(q, srvid);
	ow_shmq_close(q);
}
