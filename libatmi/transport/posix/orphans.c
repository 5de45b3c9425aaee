/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orphans.c - reclaim the records and blocks that dead processes leave on posix
 *
 * The in-flight record is the server's receive slot in the tables: the kernel
 * copies the message into it (tables.h).
 *
 * A reference to the block of a request may lie in a kernel queue, which cannot
 * be searched. But the block says into which queue it went (exchange.c). So a
 * block of a dead process stays until its deadline, or until that queue is seen
 * empty. No process sends it meanwhile: only its owner could.
 */
#include <stdatomic.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/inbox.h"
#include "libatmi/transport/mail/mail.h"
#include "libatmi/transport/posix/posix.h"

#define SETTLE_NS OW_NS_PER_SEC /* younger orphans are left alone */

void *ow_posix_record(struct ow_domain *d, uint32_t srvid)
{
	return ow_tables_rx(d->tables, srvid);
}

struct ow_msg *ow_posix_recorded(struct ow_domain *d, uint32_t srvid)
{
	return (struct ow_msg *)ow_tables_rx(d->tables, srvid);
}

struct reclaim {
	struct ow_domain *dom;
	ow_refuse_fn *settle;
	struct ow_record_full full;
	uint64_t address; /* the last one that was looked at; 0: none */
	bool waits;	  /* there was a message then */
};

/* A queue that cannot be looked at may hold a message. */
static bool has_message(struct ow_domain *d, const char *service)
{
	uint32_t depth = 0;
	int r = ow_posix_peek(d, ow_service_queue(service), &depth);

	return r < 0 || (r == 0 && depth > 0);
}

/* Does the queue with this address hold a message? */
static bool holds_message(struct ow_domain *d, uint64_t address)
{
	uint32_t at = (uint32_t)address;
	const struct ow_svc *s;

	if (at >= OW_SVC_MAX)
		return false;
	s = &d->tables->svc[at];
	return has_message(d, s->name) ||
	       (ow_svc_may_overflow(s) && has_message(d, OW_SVC_OVERFLOW));
}

/* The owner of each orphan was dead before the sweep, so an empty queue counts
 * for all orphans that went there. */
static bool may_be_queued(struct reclaim *r, uint64_t address)
{
	if (address != r->address) {
		r->address = address;
		r->waits = address != 0 && holds_message(r->dom, address);
	}
	return r->waits;
}

/* May a message that refers to this orphan still lie in a queue or a receive
 * slot? The queue is checked first, since messages go from queues to slots. */
static bool in_use(struct reclaim *r, const struct ow_orphan *o)
{
	struct ow_tables *t = r->dom->tables;
	const struct ow_msg *m;
	uint32_t id;

	if (may_be_queued(r, o->address))
		return true;
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (!ow_tables_reach(t, id))
			return true; /* it cannot be looked at */
		m = (const struct ow_msg *)ow_tables_rx(t, id);
		if (m->magic == OW_MSG_MAGIC &&
		    (m->block == o->ref || m->handed == o->ref))
			return true;
	}
	return false;
}

/* Decide what becomes of one orphan; true: free the block. */
static bool reclaim_one(const struct ow_orphan *o, void *arg)
{
	struct reclaim *r = arg;
	uint64_t now = ow_clock_mono_ns();

	if (o->kind == OW_BLOCK_NOTED)
		return ow_inbox_reclaim(r->dom, o);
	if (o->kind == OW_BLOCK_MAILED)
		return ow_mail_reclaim(r->dom, o, &r->full);
	if (o->kind == OW_BLOCK_TAKEN) {
		ow_record_reclaim(r->dom, o, r->settle, &r->full);
		return false;
	}
	if (now - o->since_ns < SETTLE_NS)
		return false;
	return ow_deadline_passed(o->deadline_ns, now) || !in_use(r, o);
}

/* Requests that dead servers had in hand are in their receive slots
 * (ow_posix_recorded()). In blocks are those of a process that was killed
 * while it drained a queue, and what was postponed. */
int ow_posix_reclaim_of(struct ow_domain *d, uint32_t prc,
			ow_refuse_fn *settle)
{
	struct reclaim r = { .dom = d, .settle = settle,
			     .full = { OW_CLT_MAX } };

	return ow_blocks_sweep(d->blocks, prc, reclaim_one, &r);
}

int ow_posix_postpone(struct ow_domain *d, struct ow_envelope *e)
{
	return e->head->kind == OW_MSG_REQUEST ? ow_record_postpone(d, e)
					       : ow_mail_postpone(d, e);
}

int ow_posix_reclaim(struct ow_domain *d, ow_refuse_fn *settle)
{
	return ow_posix_reclaim_of(d, 0, settle);
}
