/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap.h - put the shared state in order after a process has died
 *
 * Called by whoever notices: ndrxd at once, a server that finds its slot
 * taken by a corpse, xadmin. Everything here is idempotent and may run in two
 * processes at once.
 */
#ifndef OW_REAP_H
#define OW_REAP_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/wire/msg.h"

struct ow_domain;
struct ow_queue;

/*
 * A request whose caller could not be told yet (its reply queue is full). The
 * holder tries ow_refusal_retry() until `msg.deadline_ns`.
 */
struct ow_refusal {
	struct ow_msg msg;
};

#pragma GCC visibility push(default)

/*
 * Server `srvid` is dead: refuse the request it had in hand (its caller gets
 * TPESVCERR), withdraw its services (the last server of a service: every
 * queued request is refused), clear the slot. `keep_queues`: a restart is
 * pending, so queues of services that lost their last server stay in place.
 * 1 with *ret_refused when the caller of the request in hand must be told
 * later; 0; -errno.
 */
int ow_reap_server(struct ow_domain *d, uint32_t srvid, bool keep_queues,
		   struct ow_refusal *ret_refused);

/* Tell the caller now: 0 told or nobody waits for it, 1 try again later. */
int ow_refusal_retry(struct ow_domain *d, const struct ow_refusal *f);

/*
 * Take everything out of a queue that nobody serves: requests are refused,
 * replies dropped, blocks freed. Returns messages taken.
 */
int ow_reap_drain(struct ow_domain *d, struct ow_queue *q);

/*
 * Withdraw row `row` of server `srvid`: called with the domain lock held. The
 * last server of a service: its queue is drained, and removed unless
 * `keep_queue`.
 */
void ow_reap_unadvertise(struct ow_domain *d, uint32_t srvid, uint32_t row,
			 bool keep_queue);

/* Refuse all requests queued for services that nobody serves; remove queues
 * of such services when `remove`. Returns requests refused. */
int ow_reap_unserved(struct ow_domain *d, bool remove);

/* Clear slots and reply queues of dead client processes, then free blocks
 * whose owners are dead. Returns slots cleared. */
int ow_reap_clients(struct ow_domain *d);

/*
 * What dead processes have left in the block store: requests they had in hand
 * are refused, replies they had under way delivered, blocks that no message
 * can refer to any more freed (block.h). Domain lock not held. Returns blocks
 * freed.
 */
int ow_reap_blocks(struct ow_domain *d);
/* The same for one process, without a look at all the others; where the
 * transport can tell. */
int ow_reap_blocks_of(struct ow_domain *d, int32_t pid, uint64_t start);

/* Slots of dead servers: for start-up over the leftovers of a dead domain.
 * Returns servers reaped. */
int ow_reap_servers(struct ow_domain *d);

/*
 * Remove every queue, segment, socket and pid file of the domain, whether
 * its tables are readable or not. No process of it may be left (the caller
 * has killed them). Returns objects removed.
 */
int ow_reap_domain(struct ow_domain *d);

/*
 * A server started by hand has given its slot back: if no process of the
 * domain is left (no ndrxd, server or client), remove the domain. Who takes a
 * slot afterwards finds the tables gone and makes new ones.
 */
void ow_reap_if_last(struct ow_domain *d);

/* ---- nudge.c ---- */

/* Server `srvid` has died, perhaps woken for a request that it did not take:
 * nudge the queues in which requests wait. Where only ndrxd can do that, ids
 * of idle servers to nudge go to ret_ids (at most max); returns how many. */
int ow_reap_nudge(struct ow_domain *d, uint32_t srvid, uint32_t *ret_ids,
		  int max);
/* Nudge queues with so many servers that each polls seldom
 * (ow_transport.pollers) and in which requests wait. Once a second. */
void ow_reap_nudge_crowds(struct ow_domain *d);

#pragma GCC visibility pop
#endif
