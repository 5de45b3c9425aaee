/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heartbeat.h - each heartbeat says: I am here, and what I offer
 */
#ifndef OW_BRIDGE_HEARTBEAT_H
#define OW_BRIDGE_HEARTBEAT_H

#include "servers/bridge/peers/peers.h"

/* To `p`, or (NULL) all. No lock. */
void ow_br_heartbeat(struct ow_br_peers *ps, const struct ow_br_peer *p,
		     bool joining, bool leaving);
/* To `p`, which is to confirm the generation of our offers. No lock. */
void ow_br_heartbeat_ask(struct ow_br_peers *ps, const struct ow_br_peer *p);

#endif
