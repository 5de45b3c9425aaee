/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.h - what a request of another node is answered
 *
 * The answer waits in the lane of replies of the link by which the request came,
 * if that is still there. The caller flushes.
 */
#ifndef OW_BRIDGE_REPLY_H
#define OW_BRIDGE_REPLY_H

#include "servers/bridge/peers/peers.h"

struct ow_envelope;

/* The reply of the service. */
void ow_br_reply_send(struct ow_br_peers *ps, const struct ow_br_origin *from,
		      const struct ow_envelope *e);
/* An error and why, or NULL; nothing, of a one-way request. */
void ow_br_reply_error(struct ow_br_peers *ps, const struct ow_br_origin *from,
		       int tperr, const char *why);

#endif
