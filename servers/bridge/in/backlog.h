/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backlog.h - requests of other nodes that find the queue of their service full
 *
 * They wait in the bridge (inbound.c), and have used up credit of their lane. One
 * backlog is what waits of one service and came by one link. While it is short
 * nothing is said: the queue has room again soon. If it uses a third of the
 * credit, less when other services do so too, the sender is told to send no more of
 * that service (frame ALLOW, 0 units; peers/allowance.h), and what has come and
 * still comes gives its credit back: the lane is free for others. From then on
 * the sender may have so much of the service under way as is allowed here, a
 * share of what may be kept of one link. When nothing has waited for a second the
 * service has the credit of the lane again.
 *
 * What is kept of one link, and of all, is bounded: beyond that, requests keep
 * their credit, and the lane stands still. So does that of a link whose requests
 * come in parts, which give their credit back at once: while OW_BR_HELD waits,
 * that of further parts is withheld. Both happen only where another node does
 * not obey, or is of a version that does not know ALLOW.
 *
 * Of the inbound thread.
 */
#ifndef OW_BRIDGE_BACKLOG_H
#define OW_BRIDGE_BACKLOG_H

#include "servers/bridge/peers/peers.h"

#define OW_BR_HELD ((uint64_t)64 << 20) /* of one link, in parts or not */

struct ow_br_backlog;

struct ow_br_backlogs {
	struct ow_br_peers *peers;
	struct ow_br_backlog *table, *last; /* that was looked for */
	uint64_t kept; /* units, of all links, whose credit was given back */
};

/* A request has come, and may wait or not. */
void ow_br_backlog_came(struct ow_br_backlogs *bs,
			const struct ow_br_origin *from,
			const struct ow_br_frame *f);
/* It waits: its backlog; NULL: it has none. *ret_told: the sender was told just
 * now, so all that wait in it may give their credit back. */
struct ow_br_backlog *ow_br_backlog_join(struct ow_br_backlogs *bs,
					 const struct ow_br_origin *from,
					 const struct ow_br_frame *f,
					 bool *ret_told);
/* May a request that waits in it give its credit back? Then it counts as
 * kept. */
bool ow_br_backlog_keep(struct ow_br_backlogs *bs, struct ow_br_backlog *b,
			const struct ow_br_frame *f);
/* It waits no more; `kept`: it was counted so. True: ow_br_credit() follows. */
bool ow_br_backlog_leave(struct ow_br_backlogs *bs, struct ow_br_backlog *b,
			 const struct ow_br_frame *f, bool kept);
/* Allow more, and forget what is over. True: something is to be sent. */
bool ow_br_backlogs_look(struct ow_br_backlogs *bs, uint64_t now);
void ow_br_backlogs_free(struct ow_br_backlogs *bs);

#endif
