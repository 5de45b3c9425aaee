/* SPDX-License-Identifier: Apache-2.0 */
/*
 * last.h - transactions whose last resource decides
 *
 * The decision of such a transaction is not in the log but a row in the database
 * of the last resource (libatmi/xa/last.h). A tmsrv that has died may have
 * ordered a commit whose row nobody has seen: so its next life presumes nothing
 * of a transaction of an earlier life that it does not know. It asks the
 * database, which then has a row of one kind or the other.
 *
 * Beside the log lies a file `.last`, made before the first such branch is given:
 * there may be rows, also if the configuration has changed since. Before a branch
 * is given the database learns the identity of the log (table onewake.log), then
 * the file says so: a database that does not know it is another one, and says
 * nothing about this log's transactions.
 */
#ifndef OW_TMSRV_LAST_H
#define OW_TMSRV_LAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "servers/tmsrv/log.h"
#include "servers/tmsrv/table.h"
#include "libatmi/tran/tm.h"

enum last_result {
	LAST_COMMITTED = 1,
	LAST_ROLLED_BACK, /* and for ever */
	LAST_UNKNOWN,
	LAST_READ_ONLY, /* it has ended, and decides nothing */
	LAST_NOT_ASKED, /* no order has reached it: it can be rolled back */
};

/* At the start, before a number is given: 0; -1, with the reason in `why`. */
int last_begin(const struct tmlog *log, const char *folder, const char *name,
	       char *why, size_t size);
/* JOIN: the branch that `t` has just got becomes its last resource, if it may.
 * Lock held. */
void last_give(struct tran *t, struct branch *b, struct ow_tm *m);
/* The branch of `t` that is; NULL: none. */
struct branch *last_of(struct tran *t);

/* An operation (OW_TM_BRANCH_COMMIT_ONE, _ROLLBACK) on one: as XA says it. */
int last_do(const struct ow_tm *m);
/* All other branches agree: order the commit, with `n` words for who reads the
 * row. */
enum last_result last_decide(const struct tran *t, const struct branch *b,
			     const struct tmlog_branch *words, uint32_t n);
/* Ask the database how it has ended. */
enum last_result last_outcome(uint64_t tran);
/* All branches have confirmed: its row is not needed any more. */
void last_done(uint64_t tran);

/* May a transaction that is not known here be committed all the same? If that
 * is not known the database is asked; ask again. */
bool last_may_have(uint64_t tran);
/* Many times a second: is there something to do in the database? */
void last_look(uint64_t now);

#endif
