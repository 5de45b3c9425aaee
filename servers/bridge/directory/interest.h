/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interest.h - which events nodes want of each other, and posts that go there
 *
 * doc/design/cluster.md, "Events". Each heartbeat names the generation of what
 * its sender's node wants (libatmi/subs/interest.h); who has another one asks.
 */
#ifndef OW_BRIDGE_INTEREST_H
#define OW_BRIDGE_INTEREST_H

#include "servers/bridge/directory/directory.h"

/* On the clock: look at the subscriptions of this node; a heartbeat tells
 * others that they have changed. */
void ow_br_interest_look(struct ow_br_directory *d);
/* On the delivery thread: a heartbeat, a question, an answer. No lock. */
void ow_br_interest_heard(struct ow_br_directory *d, struct ow_br_peer *p,
			  const struct ow_br_frame *heartbeat);
void ow_br_interest_tell(struct ow_br_directory *d, const struct ow_br_peer *p);
void ow_br_interest_take(struct ow_br_directory *d, struct ow_br_peer *p,
		      const struct ow_br_frame *f, const char *payload);
/* Forget what the node of `p` wants. Lock held. */
void ow_br_interest_forget(struct ow_br_peer *p);
/* What all others want together, anew. Lock held. */
void ow_br_interest_add_up(struct ow_br_directory *d);
/* On the main thread: show it to posters. No lock. */
void ow_br_interest_show(struct ow_br_directory *d);

#endif
