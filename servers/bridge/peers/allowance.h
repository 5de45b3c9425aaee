/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allowance.h - what may be sent to a service whose queue at the other node is full
 *
 * The requests of all services share the credit of their lane. So that a slow
 * service does not use up that of all others, the other end gives it an
 * allowance of its own (frame ALLOW; in/backlog.h decides when, and how much):
 * from then on its requests wait here, beside the lane, until it lets some of
 * them come. A service without an allowance, as nearly all are, costs one
 * comparison.
 *
 * What waits beside the lane is bounded for each service: the more waits
 * already, of all services, the less may wait of one.
 *
 * CONFIRM says that all requests before it have been sent: it waits for those
 * that wait beside the lane and were there before it.
 *
 * All functions: lock of the peers held.
 */
#ifndef OW_BRIDGE_ALLOWANCE_H
#define OW_BRIDGE_ALLOWANCE_H

#include "servers/bridge/peers/peers.h"

/* Units that a request takes of an allowance, at both ends. */
static inline uint64_t ow_br_allowance_cost(const struct ow_br_frame *f)
{
	return f->total + OW_BR_COST;
}

/* Does this request, or CONFIRM, wait beside the lane? Then it is taken. */
bool ow_br_allowance_keep(struct ow_br_peer *p, struct ow_br_out *o);
/* The service to whose queue the request goes; NULL: no allowance counts for
 * it. Of this, which may be NULL, the next ones tell. */
const char *ow_br_allowance_service(const struct ow_br_frame *f);
/* How many of its requests wait beside the lane. */
uint32_t ow_br_allowance_waiting(const struct ow_br_peer *p, const char *svc);
/* Would one more wait there? */
bool ow_br_allowance_holds(const struct ow_br_peer *p, const char *svc);
/* Do so many wait that no more should? `part` > 1: 1 / part of these do. */
bool ow_br_allowance_is_full(const struct ow_br_peer *p, const char *svc,
			     uint32_t part);
/* Frame ALLOW has come; takes the lock. */
void ow_br_allowance_take(struct ow_br_peers *ps, struct ow_br_peer *p,
			  const struct ow_br_frame *f);
/* Drop what is late. */
void ow_br_allowances_expire(struct ow_br_peers *ps, struct ow_br_peer *p,
			     uint64_t now);
/* The link is lost: drop all that waits, and the allowances. */
void ow_br_allowances_clear(struct ow_br_peers *ps, struct ow_br_peer *p);

#endif
