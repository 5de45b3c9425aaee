/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiters.h - requests that wait for a message (TPQWAIT), in order of arrival
 *
 * They are in memory only, in lists of their queues. Each message that comes
 * serves the first that it suits. The thread of the engine alone uses them.
 */
#ifndef OW_TMQUEUE_WAITERS_H
#define OW_TMQUEUE_WAITERS_H

#include "servers/tmqueue/job.h"
#include "servers/tmqueue/ports.h"
#include "servers/tmqueue/queues.h"
#include "servers/tmqueue/space.h"

void waiters_add(struct queue *q, struct job *j);
/* In a transaction: those of queues with new messages get them, those whose branch
 * has ended are refused; both stay in their list until the commit. 0, FULL or
 * -errno. */
int waiters_serve(struct space *sp, const struct engine_ports *ports);
/* The transaction was aborted: they wait as before. */
void waiters_undo(struct queues *qs, void (*reset)(struct job *));
/* It was committed: the next one that was served, out of its list. NULL. */
struct job *waiters_served(struct queues *qs);
/* One whose deadline has passed, or whose caller is gone, out of its list. */
struct job *waiters_late(struct queues *qs, uint64_t now,
			 const struct engine_ports *ports);
/* When to look again, at the latest at `most`; 0: nobody waits. */
uint64_t waiters_next(const struct queues *qs, uint64_t most);
/* The caller of j waits no more: j->answer.count is 1 if it did, and had
 * nothing. It may be in the list `batch` that is being executed. */
void waiters_cancel(struct queues *qs, struct job *batch, struct job *j);

/* Forget all, without answers. */
void waiters_free(struct queues *qs);

#endif
