/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - payloads that come in parts
 */
#ifndef OW_BRIDGE_PARTS_H
#define OW_BRIDGE_PARTS_H

#include "servers/bridge/peers/peers.h"

/* Collect one part: the whole when it is complete, which the caller frees;
 * NULL: not yet, or it was dropped. Lock held. */
struct ow_br_partial *ow_br_collect(struct ow_br_peers *ps,
				    struct ow_br_peer *from,
				    struct ow_br_partial **list,
				    const struct ow_br_frame *f,
				    const char *payload);
/* It is whole, and counts as one that comes no more. Lock held. */
void ow_br_partial_whole(struct ow_br_peers *ps, const struct ow_br_partial *p);
/* What has come of the same payload; NULL: nothing, or there was no memory.
 * Lock held. */
struct ow_br_partial *ow_br_partial_find(struct ow_br_partial *list,
					 const struct ow_br_frame *f);
void ow_br_partial_free(struct ow_br_peers *ps, struct ow_br_partial *p);

#endif
