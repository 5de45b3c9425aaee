/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notice.c - tell a context that waits for a reply to look into its inbox
 */
#include "libatmi/reply/notice.h"

#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/transport/transport.h"

#define PRIO 50u /* that of replies */

void ow_notice_send(struct ow_domain *d, uint32_t slot, uint32_t gen)
{
	union ow_envelope_memory room;
	struct ow_queue *q = NULL;
	struct ow_envelope e;

	ow_envelope_init(&e, &room, sizeof(room), d->blocks);
	e.payload = (struct ow_payload){ .len = 0 };
	memset(&room.head, 0, sizeof(room.head));
	room.head.magic = OW_MSG_MAGIC;
	room.head.version = OW_MSG_VERSION;
	room.head.kind = OW_MSG_NOTICE;
	room.head.buftype = OW_BUF_NULL;
	room.head.clt_slot = slot;
	room.head.clt_gen = gen;
	room.head.sent_ns = ow_clock_mono_ns();
	if (ow_queue_open(d, ow_mailbox(slot), &q) != 0)
		return;
	ow_queue_send(q, &e, PRIO, OW_DEADLINE_NOW);
	ow_queue_close(q);
}
