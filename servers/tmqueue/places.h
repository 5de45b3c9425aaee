/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.h - messages of a damaged queue space find their places again
 *
 * Part of salvage.h: the open transaction has all records that were whole.
 */
#ifndef OW_TMQUEUE_PLACES_H
#define OW_TMQUEUE_PLACES_H

#include "servers/tmqueue/store.h"

struct places_counted {
	uint64_t kept, aside; /* messages: in their place; in the queue */
	uint64_t gone;	      /* places whose message is not there */
};

/* Tables agree afterwards. Messages without one place go into the queue
 * `aside`. 0, FULL, -errno. */
int places_find(struct store *s, const char *aside, struct places_counted *ret);

#endif
