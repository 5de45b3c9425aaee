/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wakeup.c - wake a thread of the bridge that sleeps at its mailbox
 */
#include "servers/bridge/in/wakeup.h"

#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/slot.h"
#include "libatmi/log/log.h"

int ow_br_wakeup_make(struct ow_br_wakeup *w, struct ow_ctx **ret)
{
	struct ow_ctx *c = ow_ctx_get();

	if (c != NULL)
		c->may_enter = true; /* who calls is checked by authorize.c */
	if (c == NULL || ow_ctx_need_domain(c) != 0 ||
	    ow_slot_need(c) != 0)
		return -1;
	if (ow_queue_open(c->dom, ow_mailbox(c->slot), &w->queue) != 0)
		return -1;
	w->dom = c->dom;
	w->slot = c->slot;
	w->gen = c->gen;
	*ret = c;
	return 0;
}

void ow_br_wakeup_send(const struct ow_br_wakeup *w)
{
	union ow_envelope_memory room;
	struct ow_envelope e;

	ow_envelope_init(&e, &room, sizeof(room), w->dom->blocks);
	e.payload = (struct ow_payload){ .len = 0 };
	memset(&room.head, 0, sizeof(room.head));
	room.head.magic = OW_MSG_MAGIC;
	room.head.version = OW_MSG_VERSION;
	room.head.kind = OW_MSG_NOTICE;
	room.head.buftype = OW_BUF_NULL;
	room.head.clt_slot = w->slot;
	room.head.clt_gen = w->gen;
	room.head.sent_ns = ow_clock_mono_ns();
	ow_queue_send(w->queue, &e, 50, OW_DEADLINE_NOW);
}

void ow_br_wakeup_close(struct ow_br_wakeup *w)
{
	w->queue = ow_queue_close(w->queue);
}
