/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.h - the connection to NATS, as the peers use it
 */
#ifndef OW_BRIDGE_CONNECTION_H
#define OW_BRIDGE_CONNECTION_H

#include "servers/bridge/peers/peers.h"
#include "servers/bridge/wire/handover.h"

/* What the connection calls. */
void ow_br_connection_user(struct ow_br_peers *ps,
			   struct ow_br_handover_user *ret);

#endif
