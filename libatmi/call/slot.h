/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.h - the client slot of a context, with its mailbox
 *
 * Taken before the first call that wants a reply, given back when the context
 * ends.
 */
#ifndef OW_SLOT_H
#define OW_SLOT_H

#include "libatmi/call/context.h"

/* Take a slot and open its mailbox: 0, or -1 with tperrno (TPELIMIT, TPEOS). */
int ow_slot_take(struct ow_ctx *c);
/* The context has another name: its slot shows it, if it has one. Who reads it
 * meanwhile may see half a name, and no other slot: the tail stays. */
void ow_slot_rename(struct ow_ctx *c);
/* Give the slot back, free replies that have come too late. */
void ow_slot_give_back(struct ow_ctx *c);

/* Say who stands behind the slot, for a context that calls for somebody: 0, or
 * -1 with tperrno. */
int ow_slot_introduce(struct ow_ctx *c);

/* Need it not log in first? 0; -1 with tperrno TPEPERM. */
int ow_slot_may_enter(const struct ow_ctx *c);

/* Have a slot and a mailbox. */
static inline int ow_slot_need(struct ow_ctx *c)
{
	return c->replyq != NULL ? 0 : ow_slot_take(c);
}

#endif
