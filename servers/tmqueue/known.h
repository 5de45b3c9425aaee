/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.h - the branches of transactions that have begun at this tmqueue
 *
 * A branch that was begun before tmqueue was started again has lost its work: it
 * is not known, and whatever wants to go on with it is refused.
 *
 * A branch leaves with its end (prepare, commit, rollback, given up), in the
 * moment in which the engine executes it, not when that is on disk: what comes
 * later in the same batch finds it gone. When the batch is undone, the branch is
 * back. The main thread adds, the engine looks and removes; a lock guards the
 * table.
 */
#ifndef OW_TMQUEUE_KNOWN_H
#define OW_TMQUEUE_KNOWN_H

#include <pthread.h>
#include <stdbool.h>

#include "libatmi/durable/message.h"

struct known_branch;

struct known {
	pthread_mutex_t lock;
	struct known_branch *first;   /* uthash */
	struct known_branch *leaving; /* those that end with this batch */
};

void known_init(struct known *k);
void known_free(struct known *k);
/* Begin it, or go on with it; 0, -ENOMEM, or -ESTALE: it ends. */
int known_add(struct known *k, const struct ow_mq_xid *xid);
/* Go on with one that has begun: 0, or -ESTALE: it is not there, or ends. One
 * that has ended a moment ago does not begin anew: nobody would end it. */
int known_go_on(struct known *k, const struct ow_mq_xid *xid);
/* Its transaction lasts until then (monotonic): it is not left before. */
void known_keep(struct known *k, const struct ow_mq_xid *xid, uint64_t until);
bool known_any(struct known *k);
bool known_has(struct known *k, const struct ow_mq_xid *xid);
/* The one with which nobody has gone on for the longest time, if that was before
 * `before` (monotonic), and which need not be kept. False: there is none. */
bool known_oldest(struct known *k, uint64_t before, struct ow_mq_xid *ret);
/* Does any end with this batch? */
bool known_any_leaves(struct known *k);
/* The engine executes its end: it is not known from now on. False: it was not
 * before. */
bool known_leave(struct known *k, const struct ow_mq_xid *xid);
/* The batch is on disk: those that left in it are gone for good; or it is undone:
 * they are known again. */
void known_settle(struct known *k, bool on_disk);

#endif
