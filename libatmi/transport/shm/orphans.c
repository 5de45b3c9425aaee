/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orphans.c - reclaim the blocks that dead processes leave on shm
 *
 * block.h lists the states of a block and what is done for each. Whether a
 * QUEUED block lies in its queue is looked up there. A
 * block that does not lie there never will: its owner, the only process that
 * could put it, is dead.
 */
#include <stdatomic.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/inbox.h"
#include "libatmi/transport/mail/mail.h"
#include "libatmi/transport/shm/shm.h"

#define SETTLE_NS OW_NS_PER_SEC

struct reclaim {
	struct ow_domain *dom;
	ow_refuse_fn *settle;
	struct ow_record_full full;
};

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
	if (o->kind == OW_BLOCK_MAILED)
		return ow_mail_reclaim(r->dom, o, &r->full);
	if (!ow_mail_read_head(r->dom, o, &m))
		return true;
	if (o->kind == OW_BLOCK_QUEUED) {
		reclaim_queued(r, o, &m);
		return false;
	}
	/* TAKEN: the dead process had the request in hand. If it was about to
	 * reply in the same block, the header is that of the reply, or half of
	 * it; what names the call is the same in both. */
	m.kind = OW_MSG_REQUEST;
	if (was_handed_on(r, o, &m))
		return true;
	ow_record_settle(r->dom, o, &m, r->settle, &r->full);
	return false;
}

int ow_shm_reclaim_of(struct ow_domain *d, uint32_t prc, ow_refuse_fn *settle)
{
	struct reclaim r = { .dom = d, .settle = settle,
			     .full = { OW_CLT_MAX } };

	return ow_blocks_sweep(d->blocks, prc, reclaim_one, &r);
}

int ow_shm_reclaim(struct ow_domain *d, ow_refuse_fn *settle)
{
	return ow_shm_reclaim_of(d, 0, settle);
}

/* The block of a request is its record and stays TAKEN, without a living
 * owner. */
int ow_shm_postpone(struct ow_domain *d, struct ow_envelope *e)
{
	struct ow_msg m = *e->head;
	uint64_t ref = e->payload.block;

	if (m.kind != OW_MSG_REQUEST)
		return ow_mail_postpone(d, e);
	ow_block_msg(d->blocks, ref)->tperr = m.tperr; /* its mark */
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
