/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orphans.c - what dead processes leave on posix: records and blocks
 *
 * The in-flight record is the server's receive slot in the tables: the
 * message is received straight into it (tables.h).
 *
 * A reference to a block may lie in a kernel queue, which cannot be searched.
 * A block of a dead process stays while any queue of the domain holds
 * anything, or until its deadline.
 */
#include <stdatomic.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/posix/posix.h"

#define SETTLE_NS OW_NS_PER_SEC /* an orphan younger than that is left alone */

void *ow_posix_record(struct ow_domain *d, uint32_t srvid)
{
	return d->tables->rx[srvid];
}

struct ow_msg *ow_posix_recorded(struct ow_domain *d, uint32_t srvid)
{
	return (struct ow_msg *)d->tables->rx[srvid];
}

struct reclaim {
	struct ow_domain *dom;
	int waiting; /* any_waits(), asked once a sweep; -1: not yet */
};

static bool waits(struct ow_domain *d, struct ow_queue_id id)
{
	uint32_t depth = 0;

	return ow_posix_peek(d, id, &depth) == 0 && depth > 0;
}

/* Does a message wait in any queue of the domain? */
static bool any_waits(struct ow_domain *d)
{
	struct ow_tables *t = d->tables;
	uint32_t i, s, n = atomic_load(&t->head->nsvc);

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s < OW_SVC_MAX &&
		    waits(d, ow_service_queue(t->svc[s].name)))
			return true;
	}
	n = atomic_load(&t->head->clt_high);
	for (i = 0; i < n && i < OW_CLT_MAX; i++)
		if ((atomic_load(&t->clt[i].gen) & 1) == 1 &&
		    waits(d, ow_reply_queue(i)))
			return true;
	return false;
}

/* Could a message that refers to block `ref` still be delivered? It lies in a
 * queue, or in a receive slot. In this order, for that is the way it goes; and
 * only its owner, long dead, could send it. */
static bool in_use(struct reclaim *r, uint64_t ref)
{
	struct ow_tables *t = r->dom->tables;
	const struct ow_msg *m;
	uint32_t id;

	if (r->waiting < 0)
		r->waiting = any_waits(r->dom);
	if (r->waiting)
		return true;
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		m = (const struct ow_msg *)t->rx[id];
		if (m->magic == OW_MSG_MAGIC && m->block == ref)
			return true;
	}
	return false;
}

static bool is_free(const struct ow_orphan *o, void *arg)
{
	uint64_t now = ow_clock_mono_ns();

	if (now - o->since_ns < SETTLE_NS)
		return false;
	return ow_deadline_passed(o->deadline_ns, now) || !in_use(arg, o->ref);
}

/* Requests that the dead had in hand are on record: nobody is refused here. */
int ow_posix_reclaim(struct ow_domain *d, ow_refuse_fn *refuse)
{
	struct reclaim r = { .dom = d, .waiting = -1 };

	(void)refuse;
	return ow_blocks_sweep(d->blocks, 0, is_free, &r);
}
