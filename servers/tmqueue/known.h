/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.h - the branches of transactions that have begun at this tmqueue
 *
 * A branch that was begun before tmqueue was started again has lost its work: it
 * is not known, and whatever wants to go on with it is refused. The main thread
 * adds, the engine looks and removes; a lock guards the table.
 */
#ifndef OW_TMQUEUE_KNOWN_H
#define OW_TMQUEUE_KNOWN_H

#include <pthread.h>
#include <stdbool.h>

#include "libatmi/durable/letter.h"

struct known_branch;

struct known {
	pthread_mutex_t lock;
	struct known_branch *first;
};

void known_init(struct known *k);
void known_free(struct known *k);
/* Begin it, or go on with it; 0, or -ENOMEM. */
int known_add(struct known *k, const struct ow_mq_xid *xid);
bool known_has(struct known *k, const struct ow_mq_xid *xid);
/* The one with which nobody has gone on for the longest time, if that was before
 * `before` (monotonic). False: there is none. */
bool known_oldest(struct known *k, uint64_t before, struct ow_mq_xid *ret);
/* True: it was known. */
bool known_remove(struct known *k, const struct ow_mq_xid *xid);

#endif
