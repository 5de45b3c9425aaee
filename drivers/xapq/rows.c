/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - decisions as rows of a table in the database
 */
#include "drivers/xapq/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>

#include "drivers/parking/log.h"
#include "drivers/parking/statement.h"

/* Whatever the database or the user has as a default. */
#define SESSION                                                    \
	"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " \
	"READ COMMITTED, READ WRITE"

/* One statement without rows: XA_OK, or as db_fail(). */
static int command(void *db, const char *sql)
{
	PGresult *r = db_is_lost(db) ? NULL : db_execute(db, sql);
	int xa = PQresultStatus(r) == PGRES_COMMAND_OK
		     ? XA_OK
		     : db_fail(db, r, sql, XAER_RMERR);

	PQclear(r);
	return xa;
}

/* A number: XA_OK, or as db_fail(). */
static int number(void *db, const char *sql, long *ret)
{
	PGresult *r = db_is_lost(db) ? NULL : db_execute(db, sql);
	int xa = XA_OK;

	if (PQresultStatus(r) != PGRES_TUPLES_OK)
		xa = db_fail(db, r, sql, XAER_RMERR);
	else
		*ret = atol(PQgetvalue(r, 0, 0));
	PQclear(r);
	return xa;
}

int rows_open(PGconn *db, const XID *x, const struct ow_xa_life *life)
{
	const struct parking_rows rows = {
		.name = "postgresql",
		.insert = "INSERT INTO",
		.unless_there = " ON CONFLICT DO NOTHING",
		.db = db,
		.command = command,
		.number = number,
	};
	long n = 0;
	int xa = command(db, SESSION);

	if (xa == XA_OK)
		xa = number(db, "SELECT "
			    "(to_regclass('onewake.decision') IS NOT NULL)"
			    "::int + "
			    "(to_regclass('onewake.log') IS NOT NULL)::int",
			    &n);
	if (xa == XA_OK && n < 2)
		xa = command(db, "CREATE SCHEMA IF NOT EXISTS onewake; CREATE "
				 "TABLE IF NOT EXISTS onewake.decision (gtrid "
				 "text PRIMARY KEY, words text, committed "
				 "boolean NOT NULL, at timestamptz NOT NULL "
				 "DEFAULT now()); CREATE TABLE IF NOT EXISTS "
				 "onewake.log (identity text PRIMARY KEY)");
	return xa == XA_OK ? parking_log_open(&rows, x, life) : xa;
}

char *rows_insert(const XID *x, const char *words)
{
	size_t size = strlen(words) + KEY_SIZE + PARKING_NAME_SIZE + 160;
	char key[KEY_SIZE], log[PARKING_NAME_SIZE], *sql = malloc(size);

	key_of(x, x->gtrid_length, key);
	parking_log_name(x, log);
	if (sql != NULL)
		snprintf(sql, size, "INSERT INTO onewake.decision (gtrid, "
			 "words, committed) VALUES ('%s', '%s', (SELECT true "
			 "FROM onewake.log WHERE identity = '%s'))", key, words,
			 log);
	return sql;
}

/* A database that does not know this life has no word for it (NULL): nothing is
 * inserted, and nothing known. Else the insertion waits for one of the same key that is under way. */
int rows_outcome(PGconn *db, const XID *x)
{
	char key[KEY_SIZE], log[PARKING_NAME_SIZE];
	char sql[KEY_SIZE + PARKING_NAME_SIZE + 200];
	PGresult *r;
	int xa;

	key_of(x, x->gtrid_length, key);
	parking_log_name(x, log);
	snprintf(sql, sizeof(sql), "INSERT INTO onewake.decision (gtrid, "
		 "committed) VALUES ('%s', (SELECT false FROM onewake.log "
		 "WHERE identity = '%s')) ON CONFLICT DO NOTHING", key, log);
	xa = command(db, SESSION);
	if (xa == XA_OK)
		xa = command(db, sql);
	if (xa != XA_OK)
		return xa;
	parking_select_outcome(x, sql);
	r = db_execute(db, sql);
	if (PQresultStatus(r) != PGRES_TUPLES_OK)
		xa = db_fail(db, r, "onewake.decision", XAER_RMERR);
	else if (PQntuples(r) != 1)
		xa = XAER_RMERR;
	else
		xa = *PQgetvalue(r, 0, 0) == 't' ? XA_OK : XA_RBROLLBACK;
	PQclear(r);
	return xa;
}

int rows_each(PGconn *db, const XID *x,
	      void (*found)(const XID *row, const char *words, void *arg),
	      void *arg)
{
	char sql[PARKING_STATEMENT];
	int i, xa = XA_OK;
	PGresult *r;
	XID row;

	parking_select_all(x, sql);
	r = db_is_lost(db) ? NULL : db_execute(db, sql);
	if (PQresultStatus(r) != PGRES_TUPLES_OK)
		xa = db_fail(db, r, "onewake.decision", XAER_RMERR);
	for (i = 0; xa == XA_OK && i < PQntuples(r); i++) {
		key_read(PQgetvalue(r, i, 0), &row);
		found(&row, PQgetvalue(r, i, 1), arg);
	}
	PQclear(r);
	return xa;
}

/* What a power cut of the database brings back is forgotten once more. */
int rows_forget(PGconn *db, const XID *rows, int n)
{
	char *sql = parking_delete("BEGIN; SET LOCAL synchronous_commit = "
				   "off; ", rows, n, "; COMMIT");
	int xa = command(db, SESSION);

	if (sql == NULL)
		return XAER_RMERR;
	if (xa == XA_OK)
		xa = command(db, sql);
	if (xa != XA_OK && PQtransactionStatus(db) != PQTRANS_IDLE)
		(void)command(db, "ROLLBACK");
	free(sql);
	return xa;
}
