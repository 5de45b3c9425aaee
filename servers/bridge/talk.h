/* SPDX-License-Identifier: Apache-2.0 */
/*
 * talk.h - conversations with programs of other nodes
 *
 * doc/design/cluster.md, "Conversations". One thread has all ends of a bridge;
 * it begins with the first conversation. What other bridges say reaches it
 * through a list, in the order in which it came.
 *
 * Until it is accepted, a conversation that a program of this node begins is a
 * call (calls.c).
 */
#ifndef OW_BRIDGE_TALK_H
#define OW_BRIDGE_TALK_H

#include <stdint.h>

struct ow_br_caller;
struct ow_br_frame;
struct ow_br_peer;
struct ow_bridge;

/* 0 or -ENOMEM. Without it no conversation is heard. */
int ow_br_talks_make(struct ow_bridge *b);
/* End all conversations, wait until the thread has ended; free it when no
 * message comes any more. */
void ow_br_talks_stop(struct ow_bridge *b);
void ow_br_talks_free(struct ow_bridge *b);
/* A link was lost: its conversations end. Lock held. */
void ow_br_talks_check(struct ow_bridge *b);

/* ---- the delivery thread, with a message of lanes that have numbers ---- */

/* It begins (lock held). */
void ow_br_talks_begin(struct ow_bridge *b, struct ow_br_peer *p);
/* A whole CONNECT, with or without the lock. */
void ow_br_talk_request(struct ow_bridge *b, const struct ow_br_frame *f,
			const char *payload, uint64_t cost,
			const struct ow_br_caller *caller);
/* A frame of the lane of replies that is OF_TALK. No lock. */
void ow_br_talk_frame(struct ow_bridge *b, const struct ow_br_frame *f,
		      const char *payload);
/* It ends, and the thread has all of it. No lock. */
void ow_br_talks_end(struct ow_bridge *b);

/* ---- the main thread ---- */

/* `p` offers `svc`, or is NULL. It, or another one that offers the service and
 * knows conversations; if there is none, `p`. Lock held. */
struct ow_br_peer *ow_br_talk_peer(struct ow_bridge *b, const char *svc,
				   struct ow_br_peer *p);

#endif
