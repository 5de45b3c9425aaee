/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - decisions as rows of a table in the database
 *
 * One row for each transaction whose last resource was committed here and whose
 * other branches have not all confirmed, and one for each that was found not to
 * be committed: it keeps a commit that is still under way from succeeding, since
 * both have the same key. Those of the second kind stay for a week.
 */
#ifndef OW_PQ_ROWS_H
#define OW_PQ_ROWS_H

#include "drivers/xapq/database.h"
#include "libatmi/xa/last.h"

/* The tables are there, made if need be, and the log of `x` is known, and the
 * life before this one: XA_OK; XAER_NOTA, it is not; or as db_fail(). */
int rows_open(PGconn *db, const XID *x,
	      const struct ow_xa_life *life);
/* The statement that makes the row, malloc'ed; NULL: no memory. It fails in a
 * database that does not know this life: its tmsrv would look elsewhere. */
char *rows_insert(const XID *x, const char *words);
int rows_outcome(PGconn *db, const XID *x);
int rows_each(PGconn *db, const XID *x,
	      void (*found)(const XID *row, const char *words, void *arg),
	      void *arg);
int rows_forget(PGconn *db, const XID *rows, int n);

#endif
