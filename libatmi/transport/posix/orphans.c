/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orphans.c - reclaim the records and blocks that dead processes leave on posix
 *
 * The in-flight record is the server's receive slot in the tables: the kernel
 * copies the message into it (tables.h).
 *
 * A reference to a block may lie in a kernel queue, which cannot be searched.
 * So a block of a dead process stays until its deadline, or until no queue of
 * the domain holds a message.
 */
#include <stdatomic.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/posix/posix.h"
#include "libatmi/transport/record.h"

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
	ow_settle_fn *settle;
	struct ow_record_full full;
	int messages; /* any_message(), found once a sweep; -1: not yet */
};

static bool has_message(struct ow_domain *d, struct ow_queue_id id)
{
	uint32_t depth = 0;

	return ow_posix_peek(d, id, &depth) == 0 && depth > 0;
}

/* Does any queue of the domain hold a message? */
static bool any_message(struct ow_domain *d)
{
	struct ow_tables *t = d->tables;
	uint32_t i, s, n = atomic_load(&t->head->nsvc);

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s < OW_SVC_MAX &&
		    has_message(d, ow_service_queue(t->svc[s].name)))
			return true;
	}
	n = atomic_load(&t->head->clt_high);
	for (i = 0; i < n && i < OW_CLT_MAX; i++)
		if ((atomic_load(&t->clt[i].gen) & 1) == 1 &&
		    has_message(d, ow_reply_queue(i)))
			return true;
	return false;
}

/* May a message that refers to block `ref` still lie in a queue or a receive
 * slot? Queues are checked first, since messages go from queues to slots. No
 * process sends the block meanwhile: its owner is long dead. */
static bool in_use(struct reclaim *r, uint64_t ref)
{
	struct ow_tables *t = r->dom->tables;
	const struct ow_msg *m;
	uint32_t id;

	if (r->messages < 0)
		r->messages = any_message(r->dom);
	if (r->messages)
		return true;
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (!ow_tables_reach(t, id))
			return true; /* it cannot be looked at */
		m = (const struct ow_msg *)ow_tables_rx(t, id);
		if (m->magic == OW_MSG_MAGIC && m->block == ref)
			return true;
	}
	return false;
}

/* Decide what becomes of one orphan; true: free the block. */
static bool reclaim_one(const struct ow_orphan *o, void *arg)
{
	struct reclaim *r = arg;
	uint64_t now = ow_clock_mono_ns();

	if (o->kind == OW_BLOCK_TAKEN) {
		ow_record_reclaim(r->dom, o, r->settle, &r->full);
		return false;
	}
	if (now - o->since_ns < SETTLE_NS)
		return false;
	return ow_deadline_passed(o->deadline_ns, now) || !in_use(r, o->ref);
}

/* Requests that dead servers had in hand are in their receive slots
 * (ow_posix_recorded()). In blocks are those of a process that was killed
 * while it drained a queue, and what was postponed. */
int ow_posix_reclaim_of(struct ow_domain *d, uint32_t prc,
			ow_settle_fn *settle)
{
	struct reclaim r = { .dom = d, .settle = settle, .messages = -1,
			     .full = { OW_CLT_MAX } };

	return ow_blocks_sweep(d->blocks, prc, reclaim_one, &r);
}

int ow_posix_reclaim(struct ow_domain *d, ow_settle_fn *settle)
{
	return ow_posix_reclaim_of(d, 0, settle);
}
