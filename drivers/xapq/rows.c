/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - decisions as rows of a table in the database
 */
#include "drivers/xapq/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_SIZE       (2 * MAXGTRIDSIZE + 1)
#define IDENTITY_BYTES 8

static void key_of(const XID *x, long bytes, char to[KEY_SIZE])
{
	long i;

	for (i = 0; i < bytes && i < MAXGTRIDSIZE; i++)
		snprintf(to + 2 * i, 3, "%02x", (unsigned char)x->data[i]);
	to[2 * i] = '\0';
}

static void read_key(const char *key, XID *ret)
{
	unsigned int byte;

	memset(ret, 0, sizeof(*ret));
	while (ret->gtrid_length < MAXGTRIDSIZE &&
	       sscanf(key + 2 * ret->gtrid_length, "%2x", &byte) == 1)
		ret->data[ret->gtrid_length++] = (char)byte;
}

/* One statement without rows: XA_OK, or as db_fail(). */
static int command(PGconn *db, const char *sql)
{
	PGresult *r = db_is_lost(db) ? NULL : db_execute(db, sql);
	int xa = PQresultStatus(r) == PGRES_COMMAND_OK
		     ? XA_OK
		     : db_fail(db, r, sql, XAER_RMERR);

	PQclear(r);
	return xa;
}

int rows_open(PGconn *db)
{
	PGresult *r = db_is_lost(db)
			  ? NULL
			  : db_execute(db, "SELECT "
					   "to_regclass('onewake.decision')");
	int xa = XA_OK;
	bool is_there = false;

	if (PQresultStatus(r) != PGRES_TUPLES_OK)
		xa = db_fail(db, r, "to_regclass", XAER_RMERR);
	else
		is_there = !PQgetisnull(r, 0, 0);
	PQclear(r);
	if (xa == XA_OK && !is_there)
		xa = command(db, "CREATE SCHEMA IF NOT EXISTS onewake; CREATE "
				 "TABLE IF NOT EXISTS onewake.decision (gtrid "
				 "text PRIMARY KEY, words text, committed "
				 "boolean NOT NULL, at timestamptz NOT NULL "
				 "DEFAULT now())");
	if (xa == XA_OK)
		xa = command(db, "DELETE FROM onewake.decision WHERE NOT "
				 "committed AND at < now() - interval "
				 "'7 days'");
	return xa;
}

char *rows_insert(const XID *x, const char *words)
{
	size_t size = strlen(words) + KEY_SIZE + 120;
	char key[KEY_SIZE], *sql = malloc(size);

	key_of(x, x->gtrid_length, key);
	if (sql != NULL)
		snprintf(sql, size, "INSERT INTO onewake.decision (gtrid, "
			 "words, committed) VALUES ('%s', '%s', true)", key,
			 words);
	return sql;
}

/* The insertion waits for one of the same key that is under way. */
int rows_outcome(PGconn *db, const XID *x)
{
	char key[KEY_SIZE], sql[KEY_SIZE + 160];
	PGresult *r;
	int xa;

	key_of(x, x->gtrid_length, key);
	snprintf(sql, sizeof(sql), "INSERT INTO onewake.decision (gtrid, "
		 "committed) VALUES ('%s', false) ON CONFLICT DO NOTHING",
		 key);
	xa = command(db, sql);
	if (xa != XA_OK)
		return xa;
	snprintf(sql, sizeof(sql), "SELECT committed FROM onewake.decision "
		 "WHERE gtrid = '%s'", key);
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
	char key[KEY_SIZE], sql[KEY_SIZE + 120];
	int i, xa = XA_OK;
	PGresult *r;
	XID row;

	key_of(x, IDENTITY_BYTES, key);
	snprintf(sql, sizeof(sql), "SELECT gtrid, words FROM onewake.decision "
		 "WHERE gtrid LIKE '%s%%' AND committed", key);
	r = db_is_lost(db) ? NULL : db_execute(db, sql);
	if (PQresultStatus(r) != PGRES_TUPLES_OK)
		xa = db_fail(db, r, "onewake.decision", XAER_RMERR);
	for (i = 0; xa == XA_OK && i < PQntuples(r); i++) {
		read_key(PQgetvalue(r, i, 0), &row);
		found(&row, PQgetvalue(r, i, 1), arg);
	}
	PQclear(r);
	return xa;
}

/* What a power cut of the database brings back is forgotten once more. */
int rows_forget(PGconn *db, const XID *rows, int n)
{
	size_t room = (size_t)n * (KEY_SIZE + 4) + 160, at;
	char key[KEY_SIZE], *sql = malloc(room);
	int i, xa;

	if (sql == NULL)
		return XAER_RMERR;
	at = (size_t)snprintf(sql, room, "BEGIN; SET LOCAL "
			      "synchronous_commit = off; DELETE FROM "
			      "onewake.decision WHERE committed AND gtrid IN (");
	for (i = 0; i < n; i++) {
		key_of(&rows[i], rows[i].gtrid_length, key);
		at += (size_t)snprintf(sql + at, room - at, "%s'%s'",
				       i > 0 ? "," : "", key);
	}
	snprintf(sql + at, room - at, "); COMMIT");
	xa = command(db, sql);
	if (xa != XA_OK && PQtransactionStatus(db) != PQTRANS_IDLE)
		(void)command(db, "ROLLBACK");
	free(sql);
	return xa;
}
