/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.h - which requests of other nodes are out in this domain
 *
 * The thread of inbound.c alone knows. Another thread that wants a list says so
 * and comes back: nothing is locked on the way of a request. `state` says whose
 * the list is: of the other thread (NOTHING, FILLED) or of inbound.c (WANTED).
 */
#ifndef OW_BRIDGE_LISTING_H
#define OW_BRIDGE_LISTING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/call/calls.h"
#include "libatmi/domain/waits.h"
#include "servers/bridge/wire/frame.h"

enum ow_br_listing_state {
	OW_BR_LISTING_NOTHING,
	OW_BR_LISTING_WANTED,
	OW_BR_LISTING_FILLED,
};

struct ow_br_listed {
	uint8_t id[8];	/* at the node that has sent it */
	uint32_t node;	/* that one */
	uint32_t svc;	/* 1 + service in whose queue it was put */
	uint64_t seq;	/* of the call here */
	uint64_t since_ns;
};

struct ow_br_listing {
	_Atomic int state;
	uint32_t n, slot, gen; /* of the context that calls */
	struct ow_br_listed list[OW_WAITS_CALLS]; /* the oldest, older than
						     OW_WAITS_OLD_MS */
	struct ow_br_listed noted[OW_CD_MAX]; /* of inbound.c, by descriptor */
};

struct ow_ctx;

/* For inbound.c: the request that is call `cd` from now on; is a list wanted? */
void ow_br_listing_note(struct ow_br_listing *l, int cd, uint64_t seq,
			const struct ow_br_frame *f, uint32_t node);
void ow_br_listing_fill(struct ow_br_listing *l, const struct ow_ctx *c);

/* For the other thread: ask for a list; true, it is there. */
static inline void ow_br_listing_want(struct ow_br_listing *l)
{
	atomic_store(&l->state, OW_BR_LISTING_WANTED);
}
static inline bool ow_br_listing_ready(struct ow_br_listing *l)
{
	return atomic_load(&l->state) == OW_BR_LISTING_FILLED;
}

#endif
