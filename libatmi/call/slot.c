/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.c - the client slot of a context, with its reply queue
 */
#include "libatmi/call/slot.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/base/fault.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/door/rules.h"
#include "libatmi/log/log.h"
#include "libatmi/member/reap.h"
#include "libatmi/transport/inbox.h"
#include "libubf/base/uncancelled.h"

/* Servers keep the reply queues of clients that have just left open for up to
 * a second; a new client waits for them to be closed. */
#define LIMIT_NS (2500 * OW_NS_PER_MS)
#define NAP_NS	 (50 * OW_NS_PER_MS)

/* Another user may have taken the names that come next. */
#define PLANTED_MAX 64

/* Slot and generation make a name that no other context has had: a pid comes
 * again, in a restarted container soon. */
static void name_slot(struct ow_ctx *c)
{
	struct ow_cltid_tail tail = { .magic = OW_CLTID_MAGIC,
				      .slot = c->slot,
				      .gen = c->gen };
	char prog[32];

	snprintf(prog, sizeof(prog), "%.31s", ow_log_progname());
	if (c->srvid != 0)
		snprintf(c->clt->queue, sizeof(c->clt->queue),
			 "srv,reply,%.31s,%u,%u,%u", c->srvbin, c->srvid,
			 c->slot, c->gen);
	else
		snprintf(c->clt->queue, sizeof(c->clt->queue),
			 "clt,reply,%.31s,%u,%u", prog, c->slot, c->gen);
	if (c->srvid != 0)
		snprintf(c->clt->cltid, OW_CLTID_TAIL,
			 "srv,%.31s,%u,%d,%u,%ld", c->srvbin, c->srvid,
			 (int)getpid(), c->number, c->dom->nodeid);
	else
		snprintf(c->clt->cltid, OW_CLTID_TAIL,
			 "clt,%.31s,%d,%u,%ld",
			 c->label[0] != '\0' ? c->label : prog, (int)getpid(),
			 c->number, c->dom->nodeid);
	memcpy(c->clt->cltid + OW_CLTID_TAIL, &tail, sizeof(tail));
	c->clt->ctx = c->number;
	c->clt->srvid = c->srvid;
	c->clt->runtime = c->runtime;
}

void ow_slot_give_back(struct ow_ctx *c)
{
	if (!c->has_slot)
		return;
	if (c->listener != NULL)
		c->listener->halt(c->listener);
	c->has_slot = false;
	/* The name is removed while the slot still has it: if this process is
	 * killed in between, the reaper finds the queue. */
	if (c->replyq != NULL)
		ow_queue_remove(c->dom, ow_reply_queue(c->slot));
	if (!ow_clt_close(c->dom->tables, c->slot, c->gen))
		return; /* damaged: it is not ours any more */
	/* From here on no server sends to the queue, or it sees afterwards
	 * that it came too late (reply/send.c). Drained while the slot is
	 * ours: on shm the queue is the slot's. */
	if (c->replyq != NULL)
		ow_reap_discard(c->dom, c->replyq);
	ow_inbox_discard(c->dom, c->slot);
	ow_clt_free(c->dom->tables, c->slot);
	OW_FAULT("slot.given_back");
}

static int take_slot(struct ow_ctx *c)
{
	int r = ow_clt_take(c->dom->tables, &c->slot);

	if (r == OW_TABLES_LIMIT && ow_reap_clients(c->dom) > 0)
		r = ow_clt_take(c->dom->tables, &c->slot);
	if (r == OW_TABLES_CROWDED && ow_reap_need_slot(c->dom) == 0)
		r = ow_clt_take(c->dom->tables, &c->slot);
	if (r == OW_TABLES_LIMIT)
		return ow_tp_fail(TPELIMIT, "all %u client slots are in use",
				  OW_CLT_MAX);
	if (r == OW_TABLES_CROWDED)
		return ow_tp_fail(TPELIMIT, "all %u process slots of the "
				  "domain are in use", OW_PRC_MAX - 1);
	if (r != 0)
		return ow_tp_fail(TPEOS, "client table: no shared memory: %s",
				  r < 0 ? strerror(-r) : "file system full");
	c->clt = &c->dom->tables->clt[c->slot];
	c->gen = atomic_load(&c->clt->gen);
	c->has_slot = true;
	name_slot(c);
	return 0;
}

static int create_queue(struct ow_ctx *c, struct ow_queue_shape *shape,
			uint64_t deadline)
{
	uint64_t now = ow_clock_mono_ns();
	uint64_t until = ow_deadline_clamp(deadline, now + LIMIT_NS);
	struct timespec nap = { .tv_sec = 0 };
	int r, tries;

	for (tries = 0;; tries++) {
		r = ow_queue_create(c->dom, ow_reply_queue(c->slot), shape,
				    &c->replyq);
		now = ow_clock_mono_ns();
		if (r != OW_QUEUE_LIMIT || now >= until)
			return r;
		if (tries == 0 && ow_reap_unwatched(c->dom) > 0)
			continue;
		nap.tv_nsec = (long)(until - now < NAP_NS ? until - now
							  : NAP_NS);
		nanosleep(&nap, NULL);
	}
}

static int fail_queue(int r)
{
	if (r == OW_QUEUE_LIMIT)
		return ow_tp_fail(TPEOS, "reply queue: the kernel's limits on "
				  "POSIX queues are used up (RLIMIT_MSGQUEUE, "
				  "fs.mqueue.queues_max, open files): see "
				  "`xadmin doctor`");
	return ow_tp_fail_errno(r, "reply queue");
}

/* Take a slot, and make its queue: 0 with the result of that, -1: no slot, and
 * tperrno is set. A slot that is given back has another name next. */
static int take_with_queue(struct ow_ctx *c, struct ow_queue_shape *shape,
			   uint64_t deadline, int *ret)
{
	int i;

	for (i = 0;; i++) {
		if (take_slot(c) != 0)
			return -1;
		*ret = create_queue(c, shape, deadline);
		if (*ret != -EPERM || i == PLANTED_MAX)
			return 0;
		log_warn("reply queue: %s: another name is tried",
			 ow_owned_strerror(*ret));
		ow_slot_give_back(c);
	}
}

int ow_slot_may_enter(const struct ow_ctx *c)
{
	if (c->may_enter || c->runtime ||
	    (ow_rules_guards(c->dom) & OW_GUARD_AUTH) == 0)
		return 0;
	return ow_tp_fail(TPEPERM, "domain %s asks for a user name and a "
			  "password first: tpinit()", c->dom->prefix);
}

int ow_slot_take(struct ow_ctx *c, uint64_t deadline_ns)
{
	OW_UNCANCELLED;
	struct ow_queue_shape shape = c->dom->reply_shape;
	void *room;
	int r;

	if (ow_slot_may_enter(c) != 0)
		return -1;
	if (take_with_queue(c, &shape, deadline_ns, &r) != 0)
		return -1;
	if (r == 0) {
		room = malloc(shape.msgsize);
		ow_envelope_init(&c->in, room, shape.msgsize, c->dom->blocks);
		c->clt->maxmsg = shape.maxmsg;
		c->clt->msgsize = shape.msgsize;
		if (room != NULL && c->listener != NULL)
			c->listener->look(c);
		if (room != NULL)
			return 0;
		r = -ENOMEM;
	}
	ow_slot_give_back(c);
	c->replyq = ow_queue_close(c->replyq);
	return fail_queue(r);
}
