/* SPDX-License-Identifier: Apache-2.0 */
/*
 * end.h - a conversation with a program of another node ends
 *
 * Each frees the conversation; the thread calls them.
 */
#ifndef OW_BRIDGE_END_H
#define OW_BRIDGE_END_H

#include "servers/bridge/conversation/conversations.h"

/* The program of this node has left, or its service has returned. */
void ow_br_conv_left(struct ow_br_convs *t, struct ow_br_conv *k);
/* The other bridge has said so (k->over), and all that came before is sent. */
void ow_br_conv_close(struct ow_br_convs *t, struct ow_br_conv *k);
/* It cannot go on: both ends are told. */
void ow_br_conv_fail(struct ow_br_convs *t, struct ow_br_conv *k,
		     const char *why);
/* Forget it, without a word. */
void ow_br_conv_forget(struct ow_br_convs *t, struct ow_br_conv *k);

#endif
