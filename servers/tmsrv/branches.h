/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branches.h - one operation on all branches of a transaction, at the same time
 *
 * Those of our own resource manager are done by the thread that asks and by
 * threads of POOL_BRANCHES, without a message; those of others by their tmsrv.
 */
#ifndef OW_TMSRV_BRANCHES_H
#define OW_TMSRV_BRANCHES_H

#include <stdint.h>
#include <xa.h>

#include "servers/tmsrv/table.h"
#include "libatmi/tran/tm.h"

struct tmlog;

/* Before all: the log, the id of our resource manager (0: none). */
void branches_begin(const struct tmlog *log, uint32_t rmid);
/* `op` on all branches of `t` in state `which`; the results are in them. A
 * thread of POOL_ENDS; waits for all. */
void branches_do(struct tran *t, enum ow_tm_op op, enum branch_state which);
/* One operation on a branch of our own resource manager: what XA returned, or
 * NOT_SENT. */
int branches_one(const struct ow_tm *m);
/* All prepared branches of our own resource manager, however many: their
 * number, and malloc'ed *ret; below 0: XAER_*. */
int branches_recover(XID **ret);

#endif
