/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap.h - put the shared state in order after a process has died
 *
 * Called by any process that notices the death: ndrxd at once, a server that
 * finds its slot taken by a dead process, xadmin. Everything here is
 * idempotent and may run in two processes at once.
 */
#ifndef OW_REAP_H
#define OW_REAP_H

#include <stdbool.h>
#include <stdint.h>

struct ow_clt;
struct ow_domain;
struct ow_queue;
struct ow_tables;

/* ---- reap_server.c ---- */

/*
 * Server `srvid` is dead: refuse the request it had in hand (its caller gets
 * TPESVCERR), unadvertise its services (`keep_queues`: it is expected back,
 * ow_reap_unadvertise()), clear its slot. Where the mailbox of a
 * caller is full, the refusal is postponed (transport/record.h). 0; -EBUSY:
 * another process keeps the domain lock, the server is still to be reaped.
 */
int ow_reap_server(struct ow_domain *d, uint32_t srvid, bool keep_queues);

/* Reap all dead servers, at start-up over what a dead domain left. Returns
 * servers reaped. */
int ow_reap_servers(struct ow_domain *d);

/* ---- reap_queue.c ---- */

/* Drain a service queue that no server serves: requests are refused with
 * `tperr` (member/refuse.h), blocks freed. Returns messages taken. */
int ow_reap_drain(struct ow_domain *d, struct ow_queue *q, int tperr);
/* Drain the mailbox of a context that has left, free the blocks. */
void ow_reap_discard(struct ow_domain *d, struct ow_queue *q);

/*
 * Clear row `row` of server `srvid`. With `keep_queue` the server is expected
 * back: the queue stays as it is, unless the service refuses (then it is
 * drained). Else, and if it was the last server, present or expected: drain
 * the queue and remove it. Domain lock held.
 */
void ow_reap_unadvertise(struct ow_domain *d, uint32_t srvid, uint32_t row,
			 bool keep_queue);

/* Server `srvid` is not expected back any more, or not for what it has not
 * offered again: end all such waits. Requests refused, or -EBUSY: the domain
 * lock is held. */
int ow_reap_awaited(struct ow_domain *d, uint32_t srvid);

/* Refuse all requests queued for services without servers, present or
 * expected; remove the queues if `remove`. Returns requests refused. */
int ow_reap_unserved(struct ow_domain *d, bool remove);

/* ---- reap_client.c ---- */

/* Clear slots and mailboxes of dead client processes, then free blocks
 * whose owners are dead. Returns slots cleared. */
int ow_reap_clients(struct ow_domain *d);
/* The same, if no ndrxd runs; one that runs does so every second. For a process
 * that needs slots or blocks that dead clients have. */
int ow_reap_unwatched(struct ow_domain *d);

/* ---- reap_block.c ---- */

/*
 * Reclaim the blocks of dead processes: refuse requests they had in hand,
 * deliver replies they were sending, free blocks that no message can refer to
 * any more (block.h). Domain lock not held. Returns blocks freed.
 */
int ow_reap_blocks(struct ow_domain *d);
/* The same for one dead process only. */
int ow_reap_blocks_of(struct ow_domain *d, int32_t pid, uint64_t start);
/* The mailbox of this process's context may have room again: refuse the
 * requests whose refusals were postponed. */
void ow_reap_postponed(struct ow_domain *d, struct ow_clt *c);

/*
 * Have a process slot, by which this process owns blocks. If none is free, free
 * those of dead processes: where no ndrxd sweeps, nobody else does. 0;
 * OW_TABLES_CROWDED: so many processes live; NOSPACE; -EMFILE.
 */
int ow_reap_need_slot(struct ow_domain *d);

/* ---- reap_domain.c ---- */

/*
 * Remove every queue, segment, socket and pid file of the domain, even if its
 * tables are unreadable. The caller has killed all processes of the domain.
 * Returns objects removed.
 */
int ow_reap_domain(struct ow_domain *d);

/* The process that removes the domain is stopped by a signal: continue it. For
 * a process that waits for the removal. */
void ow_reap_continue_remover(const struct ow_tables *t);

/*
 * A server started by hand has given its slot back: if no process of the
 * domain is left (no ndrxd, server or client), remove the domain. A process
 * that takes a slot afterwards finds the tables gone and creates new ones.
 */
void ow_reap_if_last(struct ow_domain *d);

/* ---- nudge.c ---- */

/* Server `srvid` has died, perhaps after it was woken and before it took a
 * request: nudge the queues that hold requests. Where only ndrxd can do that,
 * put ids of idle servers to nudge into ret_ids, at most max; returns how many.
 */
int ow_reap_nudge(struct ow_domain *d, uint32_t srvid, uint32_t *ret_ids,
		  int max);
/* Nudge queues that hold requests and have so many servers that each polls
 * seldom (waking/poll.h). Once a second. */
void ow_reap_nudge_crowds(struct ow_domain *d);

#endif
