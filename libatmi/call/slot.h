/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.h - the client slot of a context, with its reply queue
 *
 * Taken before the first call that wants a reply, given back when the context
 * ends.
 */
#ifndef OW_SLOT_H
#define OW_SLOT_H

#include "libatmi/call/context.h"

/* Take a slot and create its reply queue: 0, or -1 with tperrno (TPELIMIT,
 * TPEOS). It may wait until the deadline for room among the queues of the
 * kernel. */
int ow_slot_take(struct ow_ctx *c, uint64_t deadline_ns);
/* Remove the reply queue's name, give the slot back, free replies that have
 * come too late. */
void ow_slot_give_back(struct ow_ctx *c);

/* Need it not log in first? 0; -1 with tperrno TPEPERM. */
int ow_slot_may_enter(const struct ow_ctx *c);

/* Have a slot and a reply queue, for a call with this deadline. */
static inline int ow_slot_need(struct ow_ctx *c, uint64_t deadline_ns)
{
	return c->replyq != NULL ? 0 : ow_slot_take(c, deadline_ns);
}

#endif
