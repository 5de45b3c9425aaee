/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap_blocks.c - decide what becomes of the blocks of dead processes
 *
 * block.h lists the states. On shm the state says all; whether a block lies
 * in a queue or mailbox is looked up there, and cannot change in one
 * direction: its owner, who would have put it in, is dead. On posix a
 * reference may lie in a queue of the kernel's, which cannot be searched: the
 * block stays while any queue holds anything, or until its deadline.
 */
#include <stdatomic.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/answer/answer.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/base/fault.h"
#include "libatmi/transport/shm/mailbox.h"
#include "libatmi/wire/msg.h"
#include "libatmi/transport/queue.h"
#include "libatmi/member/reap.h"
#include "libatmi/transport/shm/shmq.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"

struct reap {
	struct ow_domain *dom;
	int waiting; /* any_waits(), asked once a sweep; -1: not yet */
};

/* ---- posix ---- */

static bool svc_waits(struct ow_domain *d, const struct ow_svc *s)
{
	uint32_t depth = 0;
	char name[48];

	memcpy(name, "svc,", 4);
	memcpy(name + 4, s->name, sizeof(s->name));
	name[4 + sizeof(s->name) - 1] = '\0';
	return ow_queue_peek(d, name, &depth) == 0 && depth > 0;
}

/* Does a message wait in any queue of the domain? */
static bool any_waits(struct ow_domain *d)
{
	struct ow_tables *t = d->tables;
	uint32_t i, n = atomic_load(&t->head->nsvc);

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		uint32_t s = atomic_load(&t->head->svc_list[i]);

		if (s < OW_SVC_MAX && svc_waits(d, &t->svc[s]))
			return true;
	}
	n = atomic_load(&t->head->clt_high);
	for (i = 0; i < n && i < OW_CLT_MAX; i++) {
		uint32_t depth = 0;

		if ((atomic_load(&t->clt[i].gen) & 1) == 1 &&
		    ow_queue_peek_reply(d, i, &depth) == 0 && depth > 0)
			return true;
	}
	return false;
}

/* Could a message that refers to block `ref` still be delivered? It may lie
 * in a queue that is not empty, or in a receive slot. In this order, for that
 * is the way it goes; and only its owner, long dead, could send it. */
static bool in_use(struct reap *p, uint64_t ref)
{
	struct ow_tables *t = p->dom->tables;
	uint32_t id;

	if (p->waiting < 0)
		p->waiting = any_waits(p->dom);
	if (p->waiting)
		return true;
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		const struct ow_msg *m = (const struct ow_msg *)t->rx[id];

		if (m->magic == OW_MSG_MAGIC && m->block == ref)
			return true;
	}
	return false;
}

static bool see_posix(const struct ow_orphan *o, void *arg)
{
	uint64_t now = ow_clock_mono_ns();

	if (now - o->since_ns < OW_NS_PER_SEC)
		return false;
	if (o->deadline_ns != 0 && now > o->deadline_ns)
		return true;
	return !in_use(arg, o->ref);
}

/* ---- shm ---- */

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

/* Its caller is told; false: its mailbox is full, so the next time. */
static bool tell_caller(struct ow_domain *d, const struct ow_msg *m)
{
	OW_FAULT("reap_blocks.tell");
	if (m->cd != 0 &&
	    ow_answer_error(d, m, TPESVCERR) == OW_ANSWER_FULL)
		return false;
	atomic_fetch_add(&d->tables->svc[m->svc].failed, 1);
	return true;
}

static bool see_queued(struct ow_domain *d, const struct ow_orphan *o,
		       const struct ow_msg *m)
{
	struct ow_shmq *q = NULL;
	bool there;

	if (ow_shmq_open(d, d->tables->svc[m->svc].name, &q) != 0)
		return tell_caller(d, m);
	there = ow_shmq_holds(q, o->ref);
	ow_shmq_close(q);
	if (!there)
		return tell_caller(d, m);
	ow_orphan_disown(d->blocks, o); /* it stays, its sender's slot goes */
	return false;
}

/* A reply that is whole, and that its sender did not put there any more. It
 * stays MAILED all the way, so killed at any step we leave what we found. A
 * full mailbox: the next time. */
static bool deliver(struct ow_domain *d, const struct ow_orphan *o,
		    uint32_t slot)
{
	int r;

	OW_FAULT("reap_blocks.inherit");
	if (!ow_orphan_inherit(d->blocks, o))
		return false;
	OW_FAULT("reap_blocks.mailed");
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

static bool see_shm(const struct ow_orphan *o, void *arg)
{
	struct ow_domain *d = ((struct reap *)arg)->dom;
	struct ow_msg m;

	if (o->kind == OW_BLOCK_HELD || !read_head(d, o, &m))
		return true;
	switch (o->kind) {
	case OW_BLOCK_QUEUED:
		return see_queued(d, o, &m);
	case OW_BLOCK_MAILED:
		return see_mailed(d, o, &m);
	default:
		return tell_caller(d, &m);
	}
}

static int sweep(struct ow_domain *d, uint32_t only)
{
	struct reap p = { .dom = d, .waiting = -1 };

	return ow_blocks_sweep(d->blocks, only,
			       d->transport == OW_TRANSPORT_SHM ? see_shm
								: see_posix,
			       &p);
}

int ow_reap_blocks(struct ow_domain *d)
{
	return sweep(d, 0);
}

int ow_reap_blocks_of(struct ow_domain *d, int32_t pid, uint64_t start)
{
	uint32_t prc = ow_prc_find(d->tables, pid, start);

	return prc != 0 ? sweep(d, prc) : 0;
}
