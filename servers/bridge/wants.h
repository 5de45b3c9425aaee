/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wants.h - which events nodes want of each other, and posts that go there
 *
 * doc/design/cluster.md, "Events". Each beat names the generation of what its
 * sender's node wants (libatmi/subs/interest.h); who has another one asks.
 */
#ifndef OW_BRIDGE_WANTS_H
#define OW_BRIDGE_WANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <xatmi.h>

#include "servers/bridge/frame.h"

struct ow_bridge;
struct ow_br_peer;
struct ow_msg;

/* On the clock: look at the subscriptions of this node; a beat tells others
 * that they have changed. */
void ow_br_wants_look(struct ow_bridge *b);
/* On the delivery thread: a beat, a question, an answer. No lock. */
void ow_br_wants_heard(struct ow_bridge *b, struct ow_br_peer *p,
		       const struct ow_br_frame *beat);
void ow_br_wants_tell(struct ow_bridge *b, const struct ow_br_peer *p);
void ow_br_wants_take(struct ow_bridge *b, struct ow_br_peer *p,
		      const struct ow_br_frame *f, const char *payload);
/* What all others want together, anew. Lock held. */
void ow_br_wants_add_up(struct ow_bridge *b);
/* On the main thread: show it to posters. No lock. */
void ow_br_wants_show(struct ow_bridge *b);

/* ---- post.c ---- */

/* The service function of OW_EVENT_ABROAD. */
void ow_br_post(TPSVCINFO *svc);
/* The frame of a letter of `len` bytes, which came with the request `m`. */
void ow_br_letter_frame(const struct ow_msg *m, enum ow_br_kind kind,
			size_t len, struct ow_br_frame *ret);
/* Send a letter about `event` to each node that wants it (NULL: that knows
 * unsolicited messages), by one of its bridges: how many. `head` is the frame of
 * the whole; `ubf`: it carries UBF fields. No lock; ow_br_flush() follows. */
int ow_br_letter_queue(struct ow_bridge *b, const struct ow_br_frame *head,
		       const char *event, bool ubf, const void *letter);

#endif
