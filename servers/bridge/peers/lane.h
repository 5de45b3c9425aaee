/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane.h - what waits to be sent, in its order
 */
#ifndef OW_BRIDGE_LANE_H
#define OW_BRIDGE_LANE_H

#include "servers/bridge/peers/peers.h"

/* An empty item for `len` bytes, NULL: no memory. */
struct ow_br_out *ow_br_out_new(size_t len);
/* Put it behind those that wait; it is taken. Lock held. */
void ow_br_lane_join(struct ow_br_lane_state *l, struct ow_br_out *o);
/* Free the first one. Lock held. */
void ow_br_lane_drop(struct ow_br_lane_state *l);

#endif
