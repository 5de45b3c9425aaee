/* SPDX-License-Identifier: Apache-2.0 */
/*
 * post.h - a post of this node goes to all nodes that want the event
 */
#ifndef OW_BRIDGE_POST_H
#define OW_BRIDGE_POST_H

#include <xatmi.h>

#include "servers/bridge/out/calls.h"

struct ow_msg;

/* The service function of OW_EVENT_REMOTE. */
void ow_br_post(TPSVCINFO *svc);
/* The frame of a message of `len` bytes, which came with the request `m`. */
void ow_br_message_frame(const struct ow_msg *m, enum ow_br_kind kind,
			size_t len, struct ow_br_frame *ret);
/* Send a message about `event` to each node that wants it (NULL: to all),
 * by one of its bridges: how many. `head` is the frame of
 * the whole; `ubf`: it carries UBF fields. No lock; ow_br_flush() follows. */
int ow_br_message_queue(struct ow_br_calls *cs, const struct ow_br_frame *head,
		       const char *event, bool ubf, const void *message);

#endif
