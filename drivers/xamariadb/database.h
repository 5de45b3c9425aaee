/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database.h - connections to MariaDB, and what its errors mean to XA
 */
#ifndef OW_MARIADB_DATABASE_H
#define OW_MARIADB_DATABASE_H

#include <mysql.h>
#include <stdbool.h>

#include "drivers/xamariadb/names.h"

#define DB_ANSWER_SECONDS 20 /* that a server may say nothing */

/* Connect as the open string says: XA_OK; XAER_INVAL, XAER_RMFAIL after a line
 * in the userlog. The first connection of a process also examines the rights
 * of the user: XAER_RMERR. */
int db_connect(const char *info, MYSQL **ret);
/* NULL: nothing. */
void db_close(MYSQL *db);
/* Called in a child of fork() instead, for all that it has inherited (parking.h).
 * Before the first connection. */
void db_at_fork(void (*forget)(void));
/* log_bin, as the newest connection of this process has found it. */
bool db_has_binary_log(void);
/* A program may have asked the library to connect again where a connection is
 * lost: within a branch what it then does would be in no transaction. */
void db_stay(MYSQL *db);
/* While no statement is under way: the server has gone, or has said that it goes.
 * What would be sent would never be read. */
bool db_is_lost(MYSQL *db);
/* Is the next answer that of the next statement? A program may have sent one, and
 * not read what came of it; its answer would be taken for that of the end of the
 * branch. Asks the server. */
bool db_is_in_step(MYSQL *db);
/* The same, where a branch is about to end: XA_OK; XAER_RMFAIL, it is not;
 * XA_RBOTHER, after a line in the userlog: the server does not sync any more what
 * it says is committed, and the open string does not allow that. */
int db_look(MYSQL *db);
/* Has a program left an answer? Asks the server only if it looks like that: of two
 * statements that were sent together one answer may be left, and nothing is seen. */
bool db_has_unread(MYSQL *db);
/* Run a statement without rows: XA_OK, or what its failure means. XAER_NOTA,
 * XA_RB*, and XA_RDONLY (a transaction that may not write) are not logged. NULL is XAER_RMFAIL. */
int db_run(MYSQL *db, const char *sql);
/* The same, of "VERB name". */
int db_run_on(MYSQL *db, const char *verb, const char *name);
/* The same, and the answer is that of this statement: XAER_RMFAIL if a program has
 * left another one. XA_RBOTHER as above, although the statement was executed. In
 * one round trip. */
int db_run_in_step(MYSQL *db, const char *verb, const char *name);
/* What the failure of the last call means. */
int db_error(MYSQL *db, const char *what);
/* Rows of a query: XA_OK. */
int db_query(MYSQL *db, const char *sql, MYSQL_RES **ret);

#endif
