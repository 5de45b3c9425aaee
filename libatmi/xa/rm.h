/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm.h - the resource manager of this process, as one thread sees it
 *
 * xa_open() is of a thread: each thread that does work in transactions opens
 * it. All functions return what the switch returned: XA_OK, XA_*, XAER_*.
 */
#ifndef OW_XA_RM_H
#define OW_XA_RM_H

#include <stdbool.h>
#include <xa.h>

/* The entries that concern a branch. */
enum ow_rm_op {
	OW_RM_START,
	OW_RM_END,
	OW_RM_PREPARE,
	OW_RM_COMMIT,
	OW_RM_ROLLBACK,
	OW_RM_FORGET,
};

/* Has this process a resource manager at all? */
bool ow_rm_exists(void);
/* Does it join by itself (ax_reg())? */
bool ow_rm_registers(void);
/* Has each service a branch of its own? */
bool ow_rm_own_branches(void);
/* Has this thread opened it? Still true when the connection is lost. */
bool ow_rm_is_open(void);
/* The same, and it does something: not the null switch. */
bool ow_rm_has_branches(void);
/* XAER_INVAL: there is none, or it cannot be loaded; ow_rm_problem() says why.
 * Open twice is once. */
int ow_rm_open(void);
int ow_rm_close(void);
const char *ow_rm_problem(void);
/* One entry. After a lost connection (XAER_RMFAIL) all but END are repeated
 * once, after xa_close() and xa_open(). A commit with TMONEPHASE that finds
 * nothing then stays XAER_RMFAIL: nobody knows what the first one did. One
 * without is XA_OK then: what was prepared does not get lost. Both are
 * XAER_NOTA if the first one was never sent (ow_xa_has_sent()). */
int ow_rm_do(enum ow_rm_op op, const XID *xid, long flags);
/* Can anything of the last ow_rm_do() of this thread have reached the resource
 * manager? */
bool ow_rm_has_reached(void);
/* Begin to commit a prepared branch, beside what this thread does: a handle for
 * ow_rm_commit_end(); XAER_ASYNC: it cannot be, and nothing was done. At most one
 * at a time. */
int ow_rm_commit_begin(const XID *xid);
/* Its end. It is repeated once as by ow_rm_do(). */
int ow_rm_commit_end(int handle, const XID *xid);
/* Prepared branches, at most `max`: their number, or XAER_*. Opens and ends a
 * scan of its own. */
int ow_rm_recover(XID *xids, int max);
/* "XAER_RMFAIL" and so on. */
const char *ow_rm_word(int xa);

/* Do `work` in a thread that is connected, once more with a new connection if it
 * returns XAER_RMFAIL: what it returns; XAER_RMFAIL, there is no connection. */
int ow_rm_with(int (*work)(void *arg), void *arg);

#endif
