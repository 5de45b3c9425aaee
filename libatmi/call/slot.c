/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.c - the client slot of a context, with its mailbox
 */
#include "libatmi/call/slot.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/base/fault.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/door/rules.h"
#include "libatmi/log/log.h"
#include "libatmi/member/reap.h"
#include "libatmi/transport/inbox.h"
#include "libubf/base/uncancelled.h"

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
	atomic_store(&c->clt->said_gen, 0);
	c->clt->said_name = c->label[0] != '\0';
	memcpy(c->clt->said_user, c->user, sizeof(c->user));
	atomic_store(&c->clt->said_gen, c->gen);
}

void ow_slot_rename(struct ow_ctx *c)
{
	if (c->has_slot && c->srvid == 0)
		name_slot(c);
}

void ow_slot_give_back(struct ow_ctx *c)
{
	if (!c->has_slot)
		return;
	if (c->listener != NULL)
		c->listener->halt(c->listener);
	if (c->loop != NULL)
		c->loop->leave(c);
	c->has_slot = false;
	if (!ow_clt_close(c->dom->tables, c->slot, c->gen))
		return; /* damaged: it is not ours any more */
	/* From here on no server puts a reply there, or it sees afterwards that
	 * it came too late (mail/mail.h). Drained while the slot is ours: the
	 * mailbox is the slot's. */
	if (c->replyq != NULL)
		ow_reap_discard(c->dom, c->replyq);
	ow_inbox_discard(c->dom, c->slot);
	ow_clt_free(c->dom->tables, c->slot);
	OW_FAULT("slot.given_back");
}

int ow_slot_introduce(struct ow_ctx *c)
{
	struct ow_caller who = *c->calls_for;
	int r;

	who.gen = c->gen;
	r = ow_callers_write(c->dom, c->slot, &who);
	if (r != 0)
		return ow_tp_fail(TPEOS, "it cannot be written down for whom "
				  "this context calls: %s",
				  r < 0 ? strerror(-r) : "no shared memory");
	c->runtime = false;
	c->may_enter = true;
	c->clt->runtime = 0;
	return 0;
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

int ow_slot_may_enter(const struct ow_ctx *c)
{
	if (c->may_enter || c->runtime ||
	    (ow_rules_guards(c->dom) & OW_GUARD_AUTH) == 0)
		return 0;
	return ow_tp_fail(TPEPERM, "domain %s asks for a user name and a "
			  "password first: tpinit()", c->dom->prefix);
}

int ow_slot_take(struct ow_ctx *c)
{
	OW_UNCANCELLED;
	struct ow_queue_shape shape;
	void *room;
	int r;

	if (ow_slot_may_enter(c) != 0)
		return -1;
	if (take_slot(c) != 0)
		return -1;
	if (c->calls_for != NULL && ow_slot_introduce(c) != 0) {
		ow_slot_give_back(c);
		return -1;
	}
	r = ow_queue_create(c->dom, ow_mailbox(c->slot), &shape,
			    &c->replyq);
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
	return ow_tp_fail_errno(r, "mailbox");
}
