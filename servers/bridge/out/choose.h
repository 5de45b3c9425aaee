/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.h - the bridge of another node to which a request goes
 *
 * Of those that offer its service: the one with the fewest calls under way from
 * here, then the shortest round trip. Equals take turns.
 */
#ifndef OW_BRIDGE_CHOOSE_H
#define OW_BRIDGE_CHOOSE_H

#include "servers/bridge/out/calls.h"

/* The bridge to which a call of `svc` goes; NULL: nobody offers it. Lock
 * held. */
struct ow_br_peer *ow_br_choose(struct ow_br_calls *cs, const char *svc);
/* The bridge of node o->node to which it goes; NULL: none is known. Lock
 * held. */
struct ow_br_peer *ow_br_choose_of(struct ow_br_calls *cs,
				   const struct ow_br_out *o);

#endif
