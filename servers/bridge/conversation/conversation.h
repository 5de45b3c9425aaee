/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversation.h - conversations with programs of other nodes
 *
 * doc/design/cluster.md, "Conversations". One thread has all ends of a bridge;
 * it begins with the first conversation. What other bridges say reaches it
 * through a list, in the order in which it came.
 *
 * Until it is accepted, a conversation that a program of this node begins is a
 * call (out/calls.c).
 */
#ifndef OW_BRIDGE_CONVERSATION_H
#define OW_BRIDGE_CONVERSATION_H

#include <stdbool.h>
#include <stdint.h>

struct ow_br_caller;
struct ow_br_calls;
struct ow_br_directory;
struct ow_br_frame;
struct ow_br_peer;
struct ow_br_peers;
struct ow_br_convs;

/* 0 or -ENOMEM. Without it no conversation is heard. */
int ow_br_convs_make(struct ow_br_peers *ps, struct ow_br_directory *dir,
		     struct ow_br_calls *calls, struct ow_br_convs **ret);
/* End all conversations, wait until the thread has ended; free it when no
 * message comes any more. */
void ow_br_convs_stop(struct ow_br_convs *t);
void ow_br_convs_free(struct ow_br_convs *t);
/* Is none open, nor about to begin? */
bool ow_br_convs_is_idle(struct ow_br_convs *t);
/* A link was lost: its conversations end. Lock held. */
void ow_br_convs_check(struct ow_br_convs *t);

/* ---- the delivery thread, with a message of lanes that have numbers ---- */

/* It begins (lock held). */
void ow_br_convs_begin(struct ow_br_convs *t, struct ow_br_peer *p);
/* A whole CONNECT, with or without the lock. */
void ow_br_conv_request(struct ow_br_convs *t, const struct ow_br_frame *f,
			const char *payload, uint64_t cost,
			const struct ow_br_caller *caller);
/* A frame of the lane of replies that is OF_CONV. No lock. */
void ow_br_conv_frame(struct ow_br_convs *t, const struct ow_br_frame *f,
		      const char *payload);
/* It ends, and the thread has all of it. No lock. */
void ow_br_convs_end(struct ow_br_convs *t);

#endif
