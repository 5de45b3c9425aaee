/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.h - the other bridges: who is there, and what their messages are
 */
#ifndef OW_BRIDGE_LINK_H
#define OW_BRIDGE_LINK_H

#include "servers/bridge/peers/peers.h"

/* Begin anew: no message of the past counts any more. Ends all calls; *ret has
 * them, to be answered without the lock. Lock held. */
void ow_br_session_begin(struct ow_br_peers *ps, struct ow_br_call **ret);
/* A message, and one that nobody has got. */
void ow_br_message(struct ow_br_peers *ps, const char *subject,
		   const void *data, size_t len);
void ow_br_undelivered(struct ow_br_peers *ps, const char *subject);
/* The node that NATS let publish on this subject; 0: none. */
uint32_t ow_br_node_of(const struct ow_br_peers *ps, const char *subject);
/* The connection to NATS is there, or is lost. */
void ow_br_up(struct ow_br_peers *ps);
void ow_br_down(struct ow_br_peers *ps);

#endif
