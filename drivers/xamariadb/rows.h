/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - decisions as rows of a table in the database
 *
 * As those of PostgreSQL (drivers/xapq/rows.h). The table has a database of its
 * own, `onewake`: which database a program uses is its own business, and may
 * change from one statement to the next.
 */
#ifndef OW_MARIADB_ROWS_H
#define OW_MARIADB_ROWS_H

#include "drivers/xamariadb/database.h"
#include "libatmi/xa/last.h"

/* The tables are there, made if need be, and the log of `x` is known: XA_OK;
 * XAER_NOTA, it is not (`make`: it is now); XA_RDONLY as ow_xa_last.open(); or as
 * db_run(). */
int rows_open(MYSQL *db, const XID *x,
	      const struct ow_xa_life *life);
/* The statement that makes the row, malloc'ed; NULL: no memory. It fails, in
 * strict mode, in a database that does not know the log. */
char *rows_insert(const XID *x, const char *words);
int rows_outcome(MYSQL *db, const XID *x);
int rows_each(MYSQL *db, const XID *x,
	      void (*found)(const XID *row, const char *words, void *arg),
	      void *arg);
int rows_forget(MYSQL *db, const XID *rows, int n);

#endif
