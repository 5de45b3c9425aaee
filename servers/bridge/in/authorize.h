/* SPDX-License-Identifier: Apache-2.0 */
/*
 * authorize.h - may a caller of another node have what it asks for?
 *
 * To servers of this node the caller is a context of the bridge. So rules
 * (libatmi/door/door.h) are applied here, before the request is queued, and the
 * bridge vouches for it (struct ow_msg). The node of the caller is the one that
 * nats-server let publish on the subject; the name with which it has logged in
 * is what the bridge of that node says.
 */
#ifndef OW_BRIDGE_AUTHORIZE_H
#define OW_BRIDGE_AUTHORIZE_H

#include <stdint.h>

#include "libatmi/door/door.h"
#include "servers/bridge/wire/frame.h"

struct ow_br_directory;

/* Of the inbound thread. */
struct ow_br_door {
	struct ow_door door;
	uint64_t complained_ns;
};

/* 0; TPENOENT, the service is not offered to other nodes; TPEPERM. No lock. */
int ow_br_authorize(struct ow_br_directory *d, struct ow_br_door *door,
		    const struct ow_br_frame *f, uint32_t node,
		    const struct ow_br_caller *caller);
/* The same of a post, a message (libatmi/post/message.h): 0; TPEINVAL;
 * TPEPERM. */
int ow_br_authorize_post(struct ow_br_directory *d, struct ow_br_door *door,
			 const char *message, long len, uint32_t node);

#endif
