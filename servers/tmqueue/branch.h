/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch.h - branches of transactions in the data base of a queue space
 *
 * A message that a transaction has enqueued or dequeued is in no other place
 * than its branch, so nobody sees it. `branch` has the branch by its XID,
 * `work` what it has done, in order. Committing puts the enqueued messages into
 * their places and erases the dequeued ones; rolling back does the reverse. A
 * branch that is not prepared when tmqueue starts is rolled back.
 *
 * Functions return 0, ABSENT (no such branch), FULL or -errno.
 */
#ifndef OW_TMQUEUE_BRANCH_H
#define OW_TMQUEUE_BRANCH_H

#include "servers/tmqueue/message.h"

enum branch_did { DID_ENQUEUE = 'e', DID_DEQUEUE = 'd' };

static inline bool xid_is_none(const struct ow_mq_xid *x)
{
	return x->gtrid == 0;
}

bool xid_same(const struct ow_mq_xid *a, const struct ow_mq_xid *b);

/* The branch has enqueued or dequeued message m, which has no place now.
 * `due_ns`: where it goes, of an enqueued one. */
int branch_add(struct store *s, struct queue *q, const struct ow_mq_xid *xid,
	       enum branch_did did, const struct message *m, uint64_t due_ns,
	       uint32_t tries);
/* Keep its work until the coordinator decides. ABSENT: it has done nothing. */
int branch_prepare(struct store *s, const struct ow_mq_xid *xid);
/* End it. ABSENT: it has done nothing. */
int branch_end(struct store *s, struct queues *qs, const struct ow_mq_xid *xid,
	       bool commit);
bool branch_is_prepared(struct store *s, const struct ow_mq_xid *xid);
/* Has it done anything that has not ended? */
bool branch_exists(struct store *s, const struct ow_mq_xid *xid);
/* Up to `most` prepared branches, those behind `after` (gtrid 0: from the first);
 * the number of them, or -errno. */
int branch_list(struct store *s, const struct ow_mq_xid *after,
		struct ow_mq_xid *ret, int most);
/* tmqueue starts: roll back what is not prepared. */
int branch_recover(struct store *s, struct queues *qs);

#endif
