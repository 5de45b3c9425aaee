/* SPDX-License-Identifier: Apache-2.0 */
/*
 * way.h - the connection to NATS of a bridge, and the one that takes its place
 *
 * Usually there is one. When certificates are renewed a second one is made
 * beside it, and the session goes over to it without the loss of a message
 * (doc/design/cluster.md, "Certificates are renewed").
 */
#ifndef OW_BRIDGE_WAY_H
#define OW_BRIDGE_WAY_H

#include <stddef.h>

#include "servers/bridge/nats.h"

struct ow_bridge;
struct ow_br_ways;

/* Connect, with b->opt.nats, and be the carrier of `b`: 0, or -1 with the
 * reason. */
int ow_br_ways_open(struct ow_bridge *b, struct ow_br_ways **ret, char *why,
		    size_t size);
/* Connect anew with `o` and go over. On a thread of its own: it takes seconds
 * where nobody answers. -1 with the reason: everything is as it was. */
int ow_br_ways_change(struct ow_br_ways *w, const struct ow_nats_options *o,
		      char *why, size_t size);
/* Nobody sends, or changes, any more. Accepts NULL. */
void ow_br_ways_close(struct ow_br_ways *w);

#endif
