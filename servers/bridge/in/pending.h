/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending.h - requests of other nodes that are not in a queue yet
 *
 * Of those that wait for room, `next` leads through the first ones of all services;
 * each has the others of its service behind it.
 */
#ifndef OW_BRIDGE_PENDING_H
#define OW_BRIDGE_PENDING_H

#include "servers/bridge/peers/peers.h"

struct ow_br_backlog;
struct ow_br_errand;

struct ow_br_item {
	struct ow_br_item *next, *behind;
	struct ow_br_item *tail; /* of the first: the last one behind it, or
				    itself */
	struct ow_br_origin from;
	uint32_t node; /* its sender: the row of `from` may be another node's when
			* the link was lost while it waited */
	uint64_t cost; /* credit units, not given back yet */
	struct ow_br_caller caller;
	int refused; /* with this tperrno */
	uint32_t half; /* peers/unplaced.h */
	bool held;   /* it has waited for an answer: ow_br_tran_check() */
	bool kept;   /* it waits, and has given its credit back: backlog.h */
	struct ow_br_backlog *backlog;
	/* Of the first of a service: when it found no room, or had its last
	 * errand; an errand that it has now (usher.h). */
	uint64_t tried_ns;
	struct ow_br_errand *errand;
	struct ow_br_frame frame;
	char payload[];
};

/* A whole request that came by `link`; NULL: no memory. */
struct ow_br_item *ow_br_item_new(const struct ow_br_origin *link,
				  const struct ow_br_frame *f,
				  const char *payload, uint64_t cost,
				  const struct ow_br_caller *caller);
/* Where the first one of a service is, or would be: *at is NULL. */
struct ow_br_item **ow_br_items_find(struct ow_br_item **at, const char *svc);
/* `i` stands behind those of its service, but before those with a lower priority;
 * not before the first, which is tried already. */
void ow_br_item_stand_behind(struct ow_br_item *first, struct ow_br_item *i);
/* The first one of a service, at *at, is taken out: the one behind it takes its
 * place. */
struct ow_br_item *ow_br_items_take(struct ow_br_item **at);

#endif
