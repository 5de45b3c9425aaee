/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bell.c - wake a thread of the bridge that sleeps at its reply queue
 */
#include "servers/bridge/bell.h"

#include <string.h>

#include "servers/bridge/bridge.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/slot.h"
#include "libatmi/log/log.h"

int ow_br_bell_make(struct ow_br_bell *bell, struct ow_ctx **ret)
{
	struct ow_ctx *c = ow_ctx_get();

	if (c != NULL)
		c->may_enter = true; /* who calls is checked by admit.c */
	if (c == NULL || ow_ctx_need_domain(c) != 0 ||
	    ow_slot_need(c, OW_DEADLINE_NEVER) != 0)
		return -1;
	if (ow_queue_open(c->dom, ow_reply_queue(c->slot), &bell->queue) != 0)
		return -1;
	bell->slot = c->slot;
	bell->gen = c->gen;
	*ret = c;
	return 0;
}

void ow_br_bell_ring(const struct ow_br_bell *bell)
{
	union ow_envelope_room room;
	struct ow_envelope e;

	ow_envelope_init(&e, &room, sizeof(room), ow_br_self()->dom->blocks);
	e.payload = (struct ow_payload){ .len = 0 };
	memset(&room.head, 0, sizeof(room.head));
	room.head.magic = OW_MSG_MAGIC;
	room.head.version = OW_MSG_VERSION;
	room.head.kind = OW_MSG_NOTICE;
	room.head.buftype = OW_BUF_NULL;
	room.head.clt_slot = bell->slot;
	room.head.clt_gen = bell->gen;
	room.head.sent_ns = ow_clock_mono_ns();
	ow_queue_send(bell->queue, &e, 50, OW_DEADLINE_NOW);
}

void ow_br_bell_close(struct ow_br_bell *bell)
{
	bell->queue = ow_queue_close(bell->queue);
}
