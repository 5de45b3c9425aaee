/* SPDX-License-Identifier: Apache-2.0 */
/*
 * end.h - how a transaction ends: prepare, decide, commit or roll back
 *
 * The protocol of doc/design/transactions.md. Runs in threads of POOL_ENDS.
 */
#ifndef OW_TMSRV_END_H
#define OW_TMSRV_END_H

#include <stdint.h>

struct job;
struct tmlog;
struct tran;

/* Before any job: the log, the id of our resource manager (0: none). */
void end_begin(struct tmlog *log, uint32_t rmid);
/* May `t` end so (COMMIT, ABORT)? 0: yes, it is busy from now on, and the
 * caller gives a job to the pool; else the result for who asks. Lock of the
 * table held. */
int end_begins(struct tran *t, uint32_t op);
/* Jobs: j->t is busy and PREPARING, COMMITTING or ABORTING. The transaction
 * ends, is repeated later, or waits to be forgotten; the request is
 * answered. */
void end_run(struct job *j);

#endif
