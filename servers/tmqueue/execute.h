/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execute.h - carry out one job in the store's transaction
 *
 * The outcome for the caller is in j->answer (and j->letter). What is returned
 * is about the transaction: 0; FULL or -errno, it is to be aborted.
 */
#ifndef OW_TMQUEUE_EXECUTE_H
#define OW_TMQUEUE_EXECUTE_H

#include "servers/tmqueue/job.h"
#include "servers/tmqueue/space.h"

/* Does the job only take away, so that it may use the reserve of the disk? */
bool execute_removes(const struct job *j);
/* Bytes that it adds, about. */
uint64_t execute_adds(const struct job *j);

int execute(struct space *sp, struct job *j);
/* A job that waits for a message of its queue: has it one now? Then j->waits
 * is false. */
int execute_again(struct space *sp, struct queue *q, struct job *j);

/* admin.c */
int execute_admin(struct space *sp, struct job *j);
/* forwarded.c: a service has answered, or not. */
int execute_forwarded(struct space *sp, struct job *j);
/* ... and that is on disk: others may take the message, if it is there. */
void forwarded_unlock(struct job *j);
/* transact.c: PREPARE, COMMIT, ROLLBACK, RECOVER */
int execute_transact(struct space *sp, struct job *j);
/* Roll the branch back, unless it has ended or is prepared. */
int execute_abandoned(struct space *sp, struct job *j);

#endif
