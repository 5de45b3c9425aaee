/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.h - the thread that has all ends of conversations of a bridge
 */
#ifndef OW_BRIDGE_THREAD_H
#define OW_BRIDGE_THREAD_H

#include "servers/bridge/conversation/conversations.h"

void *ow_br_convs_run(void *convs);

#endif
