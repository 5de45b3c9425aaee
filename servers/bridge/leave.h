/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.h - a bridge goes, and comes back, without an error for anybody
 *
 * doc/design/restarts.md, "Between nodes". On the main thread; the others run.
 */
#ifndef OW_BRIDGE_LEAVE_H
#define OW_BRIDGE_LEAVE_H

#include "servers/bridge/bridge.h"

/* Offer nothing any more, and wait until what others have asked for, and what
 * is out to them, has ended, conversations too; -w at most. */
void ow_br_leave(struct ow_bridge *b);
/* Of a bridge that is expected back: wait until others have told again what it
 * offered here, three of its heartbeats at most. Requests for that wait in their
 * queues. */
void ow_br_return(struct ow_bridge *b);

#endif
