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
 *
 * One with which nobody goes on is left after a time (option -T). A thread waits
 * for those (left.h).
 */
#ifndef OW_TMQUEUE_KNOWN_H
#define OW_TMQUEUE_KNOWN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/durable/message.h"

struct known_branch;

struct known {
	pthread_mutex_t lock;
	pthread_cond_t come;
	uint64_t keep_ns, keep_other_ns, again_ns;
	bool sleeps; /* who waits for branches: there were none */
	bool stop;
	struct known_branch *first;   /* uthash */
	struct known_branch *leaving; /* those that end with this batch */
};

/* One with which nobody goes on for so long is left: `keep_ns`, or `keep_other_ns`
 * if it is of another coordinator, which cannot be asked. */
void known_init(struct known *k, uint64_t keep_ns, uint64_t keep_other_ns);
void known_free(struct known *k);
/* Begin it, or go on with it; 0, -ENOMEM, or -ESTALE: it ends. */
int known_add(struct known *k, const struct ow_mq_xid *xid);
/* Go on with one that has begun: 0, or -ESTALE: it is not there, or ends. One
 * that has ended a moment ago does not begin anew: nobody would end it. */
int known_go_on(struct known *k, const struct ow_mq_xid *xid);
bool known_has(struct known *k, const struct ow_mq_xid *xid);
/* Wait until one is left: true, and which; after a while it is so again, unless
 * somebody goes on with it. False: known_stop(). Of one thread. */
bool known_wait_left(struct known *k, struct ow_mq_xid *ret);
void known_stop(struct known *k);
/* Does any end with this batch? */
bool known_any_leaves(struct known *k);
/* The engine executes its end: it is not known from now on. False: it was not
 * before. */
bool known_leave(struct known *k, const struct ow_mq_xid *xid);
/* The batch is on disk: those that left in it are gone for good; or it is undone:
 * they are known again. */
void known_settle(struct known *k, bool on_disk);

#endif
