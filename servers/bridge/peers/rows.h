/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - one row for each other bridge, and what its link forgets
 */
#ifndef OW_BRIDGE_ROWS_H
#define OW_BRIDGE_ROWS_H

#include "servers/bridge/peers/peers.h"

/* Forget what was under way: a bridge has a new session, or a new link. Lock
 * held. */
void ow_br_peer_reset(struct ow_br_peers *ps, struct ow_br_peer *p,
		      struct ow_br_call **ret);
/* The same, and tell it so when it is heard again: it is silent, or a message
 * was lost. Lock held. */
void ow_br_peer_give_up(struct ow_br_peers *ps, struct ow_br_peer *p,
			struct ow_br_call **ret);
/* This bridge ends, and its connection is closed: what waits to be sent is lost, and
 * named. No lock. */
void ow_br_peers_end(struct ow_br_peers *ps);
/* The bridge `bridge` of `node`, made if need be; NULL: too many, or too many
 * of this node. */
struct ow_br_peer *ow_br_peer_need(struct ow_br_peers *ps, uint32_t node,
				   uint32_t bridge);
/* The same, if it is there. */
struct ow_br_peer *ow_br_peer_find(const struct ow_br_peers *ps, uint32_t node,
				   uint32_t bridge);
/* Has the node as many bridges as it may? Lock held. */
bool ow_br_node_has_rows(const struct ow_br_peers *ps, uint32_t node);

#define OW_BR_NODE_ROWS 32u /* bridges of one node */

#endif
