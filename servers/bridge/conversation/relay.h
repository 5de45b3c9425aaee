/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay.h - messages of a conversation pass through, both ways
 *
 * The thread calls these.
 */
#ifndef OW_BRIDGE_RELAY_H
#define OW_BRIDGE_RELAY_H

#include "servers/bridge/conversation/conversations.h"

/* The other bridge has said `s`. True: the conversation keeps it. */
bool ow_br_conv_hear(struct ow_br_convs *t, struct ow_br_conv *k,
		     struct ow_br_said *s);
/* Pass on what can be; the conversation may be over and gone. */
void ow_br_conv_step(struct ow_br_convs *t, struct ow_br_conv *k);

#endif
