/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twins.h - two domains that have the same node id
 *
 * With each heartbeat a bridge says which domain it is of (struct ow_br_who):
 * machine, folder, prefix. Two domains of one node are a configuration that was
 * copied: calls and parts of transactions go to either. All bridges that hear
 * both, and both themselves, name them in an ERROR, once a minute.
 */
#ifndef OW_BRIDGE_TWINS_H
#define OW_BRIDGE_TWINS_H

#include "servers/bridge/peers/peers.h"

/* What this process says of itself. */
void ow_br_who_make(struct ow_br_who *ret);
/* Bridge `bridge` of node `node` is of this domain. No lock. */
void ow_br_who_heard(struct ow_br_peers *ps, uint32_t node, uint32_t bridge,
		     const struct ow_br_who *who);
/* The domain has left its node. No lock. */
void ow_br_who_left(struct ow_br_peers *ps, uint32_t node);
void ow_br_who_free(struct ow_br_peers *ps);

#endif
