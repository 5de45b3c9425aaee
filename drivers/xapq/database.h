/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database.h - connections to PostgreSQL, and the names of branches there
 *
 * A server that says nothing for 20 seconds is taken for lost: it may be stopped,
 * or the network silent. Only its own branches wait.
 */
#ifndef OW_PQ_DATABASE_H
#define OW_PQ_DATABASE_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <xa.h>

#define GID_SIZE 200 /* with NUL; what PostgreSQL allows */

#define DB_ANSWER_SECONDS 20 /* that a server may say nothing */

/* The name of a branch; the counterpart: false, it is none of ours. */
void db_gid(const XID *x, char to[GID_SIZE]);
bool db_read_gid(const char *gid, XID *ret);

/* The caller's, also if it failed: PQstatus(). */
PGconn *db_connect(const char *url);
/* NULL: nothing. */
void db_close(PGconn *db);
/* Called in a child of fork() instead, for all that it has inherited (parking.h).
 * Before the first connection. */
void db_at_fork(void (*forget)(void));
/* While no command is under way: the server has gone, or has said that it goes.
 * What would be sent would never be read. */
bool db_is_lost(PGconn *db);
/* What was sent is answered, or the connection is cut: then PQgetResult() has
 * an error without a state. */
void db_await(PGconn *db);
/* The last result of what was sent (`sent`: PQsend...() has said so). */
PGresult *db_answer(PGconn *db, int sent);
PGresult *db_execute(PGconn *db, const char *sql);
/* The same of several. *ret_any: some statement had a row. */
PGresult *db_execute_all(PGconn *db, const char *sql, bool *ret_any);
/* A statement has failed, which `what` names: XAER_NOTA, it names a prepared
 * transaction that is not there; XAER_RMFAIL, the connection is lost; else
 * `xa`. A failure that the server reports has a state. */
int db_fail(const PGconn *db, const PGresult *r, const char *what, int xa);
/* The server has reported this SQLSTATE. */
bool db_is_error(const PGresult *r, const char *state);
/* The server has said that the transaction is rolled back. */
bool db_is_refusal(const PGresult *r);

#endif
