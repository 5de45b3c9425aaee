/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory.h - what this node offers to others, and others to this node
 */
#ifndef OW_BRIDGE_DIRECTORY_H
#define OW_BRIDGE_DIRECTORY_H

#include "servers/bridge/directory/imports.h"
#include "servers/bridge/peers/peers.h"

#include <stdatomic.h>
#include <xatmi.h>

/* A service of the runtime that the bridge offers, and its function. */
struct ow_br_function {
	const char *name;
	void (*function)(TPSVCINFO *svc);
};

/* The layer. Guarded by the lock of the peers: what is offered ends with the
 * link. */
struct ow_br_directory {
	struct ow_br_peers *peers;
	struct ow_br_imports imports;
	/* Of the services of the runtime; the last one, without a name, is that
	 * of all others. */
	const struct ow_br_function *functions;
	/* offers.c */
	struct ow_br_names own; /* that we offer to others */
	struct ow_br_names local; /* that servers of this node offer */
	struct ow_br_names both; /* of these, what others offer, too */
	_Atomic bool leaving; /* it offers nothing any more */
	struct ow_br_names wanted, shown; /* of others: to be, and advertised */
	uint32_t bridges, rank; /* of this domain; those with lower ids */
	/* All that `wanted` would be, if queues and rows had no limit; empty:
	 * it is. What has neither gets a mark (overflow.c). */
	struct ow_br_names overflow;
	bool has_overflow; /* OW_SVC_OVERFLOW is wanted */
	bool marks_due;
	bool unsettled; /* what others offer has changed */
	/* If settled: who offers name `i` of `wanted` is owner[first[i]] to
	 * owner[first[i + 1] - 1]; NULL: no memory. */
	struct ow_br_peer **owner;
	uint32_t *first;
	uint64_t gen, tables;
	/* confirmation.c: the last generation that withdrew something. */
	uint64_t withdrawn;
	uint64_t looked_ns; /* when the tables were looked at for `gen` */
	uint64_t asked_ns;
	/* What was confirmed at this time, and how often the halves of what has
	 * no place yet have changed since. 0: nothing is to be placed. */
	uint64_t placing_ns;
	int turns;
	_Atomic uint64_t placed_ns; /* and has its place: for drains */
	int changed_fd; /* eventfd: `wanted` or `remote_interest` has changed */
	/* interest.c */
	uint64_t interest_seen, interest_gen;
	struct ow_interest interest; /* events, of this node */
	struct ow_interest remote_interest; /* of all others */
};

/* What others offer has changed: ow_br_offers_settle() is due. Lock held. */
static inline void ow_br_offers_changed(struct ow_br_directory *d)
{
	d->unsettled = true;
}

#endif
