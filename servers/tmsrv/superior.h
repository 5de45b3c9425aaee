/* SPDX-License-Identifier: Apache-2.0 */
/*
 * superior.h - branches that are at other nodes
 *
 * A node that works in a transaction is one branch of it (BRANCH_REMOTE). What
 * is asked of the branch goes to the tmsrv of the subordinate transaction
 * there. doc/design/transactions.md, "Other nodes".
 */
#ifndef OW_TMSRV_SUPERIOR_H
#define OW_TMSRV_SUPERIOR_H

#include <stdbool.h>
#include <stdint.h>

#include "servers/tmsrv/log.h"
#include "servers/tmsrv/table.h"

#define SUPERIOR_WORDS 4 /* of a remote branch in a decision */

/* First: the log, and the number of this node. */
void superior_begin(const struct tmlog *log, uint32_t node,
		    bool (*may_have)(uint64_t tran));

/* ---- questions, on the main thread ---- */

/* Node f->node is about to work in f->m.tran: it has a branch from now on. */
void superior_enlist(struct ow_tm_remote *f);
/* Has node f->from to do with f->m.tran? */
void superior_check(struct ow_tm_remote *f);
/* A subordinate asks how its superior f->m.tran ends. */
void superior_status(struct ow_tm_remote *f);
/* What is said of a transaction that is not known here: UNKNOWN, it was never
 * decided to commit it; HAZARD, the log that may have had that is damaged. */
uint32_t superior_unknown(uint64_t tran);

/* ---- the end of a remote branch, in threads of POOL_ENDS ---- */

/* Ask for m->op; b->result and b->cd are as branches.c has them. */
void superior_ask(struct branch *b, const struct ow_tm *m);
/* What the answer means for us. */
int superior_result(const struct branch *b, const struct ow_tm *answer);

/* ---- in the log ---- */

/* Words for branch `b`, of any kind, into `to`, which has room for
 * SUPERIOR_WORDS: how many. */
uint32_t superior_words(const struct branch *b, struct tmlog_branch *to);
/* A branch of `t` from the `n` words at `w`, prepared: how many it had; 0: they
 * are damaged, or there is no memory. */
uint32_t superior_read(struct tran *t, const struct tmlog_branch *w,
		       uint32_t n);

#endif
