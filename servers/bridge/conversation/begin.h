/* SPDX-License-Identifier: Apache-2.0 */
/*
 * begin.h - a conversation begins, here or at another node
 *
 * The thread calls these.
 */
#ifndef OW_BRIDGE_BEGIN_H
#define OW_BRIDGE_BEGIN_H

#include "servers/bridge/conversation/conversations.h"

/* Another node begins one: 0, `s` is done; -EAGAIN, the queue is full. */
int ow_br_conv_connect(struct ow_br_convs *t, struct ow_br_said *s);
/* Another node has accepted one of ours; s->call is freed. */
void ow_br_conv_open(struct ow_br_convs *t, struct ow_br_said *s);

#endif
