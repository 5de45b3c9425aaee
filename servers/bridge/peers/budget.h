/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.h - what one node may take of this bridge, and what it did too much
 *
 * A node is known by the subject on which nats-server let it publish, so it
 * answers for all that comes there, whichever bridges it invents. What it may
 * take is enforced here, where it is received: rows of bridges, credit units in
 * each lane (link.c gives credit; a sender that does not wait for it is none of
 * ours), messages and bytes of what has no credit (heartbeats, advertisements, pings), payloads
 * that come in parts. A node that takes more is cut off by name: all its links
 * are given up, and what it sends is dropped for a while, unread. Others lose
 * nothing.
 *
 * The tallies are of the delivery thread, under the lock of the peers.
 */
#ifndef OW_BRIDGE_BUDGET_H
#define OW_BRIDGE_BUDGET_H

#include "libatmi/domain/nodes.h"
#include "servers/bridge/peers/peers.h"

#define OW_BR_NODE_MESSAGES 20000u /* of the lane of control, a second */
#define OW_BR_NODE_BYTES    ((uint64_t)64 << 20) /* the same */
#define OW_BR_NODE_BURST    2u /* seconds of both that may come at once */
#define OW_BR_CUT_S	    60u

struct ow_br_tally {
	struct ow_br_tally *next;
	uint32_t node;
	uint64_t messages, bytes; /* that it may send yet */
	uint64_t filled_ns;
	uint64_t cut_until_ns; /* 0: it is not cut off */
	enum ow_nodes_cut why;
};

/* A message of `len` bytes of this node has come; `h` is NULL if it is
 * malformed. May it be read? Ends calls to the node if it is cut off now; *ret
 * has them. Lock held. */
bool ow_br_budget_message(struct ow_br_peers *ps, uint32_t node,
			  const struct ow_br_batch *h, size_t len,
			  struct ow_br_call **ret);
/* The same of the frames of a message that follows the one before. */
bool ow_br_budget_frames(struct ow_br_peers *ps, struct ow_br_peer *p,
			 const struct ow_br_batch *h, const void *data,
			 size_t len, struct ow_br_call **ret);
/* Cut it off: log, and give up its links. Lock held. */
void ow_br_budget_cut(struct ow_br_peers *ps, uint32_t node,
		      enum ow_nodes_cut why, struct ow_br_call **ret);
/* Why it is cut off now; OW_NODES_CUT_NONE. Lock held. */
enum ow_nodes_cut ow_br_budget_why(const struct ow_br_peers *ps, uint32_t node);
void ow_br_budget_free(struct ow_br_peers *ps);

#endif
