/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send.h - requests and replies wait for credit, and leave in batches
 */
#ifndef OW_BRIDGE_SEND_H
#define OW_BRIDGE_SEND_H

#include "servers/bridge/peers/lane.h"

/* Put a request or reply behind those that wait, in the lane or beside it
 * (allowance.h); `o` is taken. Lock held. */
void ow_br_queue(struct ow_br_peer *p, enum ow_br_lane lane,
		 struct ow_br_out *o);
/* Is there no credit for more? Lock held. */
bool ow_br_is_held(const struct ow_br_peer *p, enum ow_br_lane lane);
/* Does so much wait for it that no more may? Lock held. */
bool ow_br_is_full(const struct ow_br_peer *p);
/* Send what waits and has credit; another thread may do it. No lock. */
void ow_br_flush(struct ow_br_peers *ps);
/* From now on nobody sends requests and replies; and again. No lock. */
void ow_br_pause(struct ow_br_peers *ps);
void ow_br_resume(struct ow_br_peers *ps);
/* Say something about the link, to `p` or (NULL) all, at once. No lock;
 * `reply`: learn if nobody listens. */
void ow_br_say(struct ow_br_peers *ps, const struct ow_br_peer *p,
	       struct ow_br_frame *f, const void *payload, bool reply);
/* The other end is told what was taken here, if that is much. No lock. */
void ow_br_credit(struct ow_br_peers *ps, struct ow_br_peer *p);
/* Have a batch to compose messages in: 0 or -ENOMEM. */
int ow_br_batch_make(struct ow_br_peers *ps);
/* Connected: how large may a message be here? Lock held. */
void ow_br_limit_look(struct ow_br_peers *ps);
/* Drop what waits. Lock held. */
void ow_br_lane_clear(struct ow_br_peers *ps, struct ow_br_lane_state *l);

#endif
