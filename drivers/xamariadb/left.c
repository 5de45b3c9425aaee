/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left.c - branches that no process has any more
 */
#include "drivers/xamariadb/left.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <userlog.h>

#include "drivers/xamariadb/status.h"

#define LOOK_MS	 5
#define LOOK_MAX 400 /* two seconds */

/* ---- has its connection ended? ---- */

/* XA_OK: it has; XA_RETRY. */
static int look(MYSQL *db, uint64_t connection)
{
	MYSQL_RES *rows = NULL;
	MYSQL_ROW row;
	int xa = db_query(db, "SHOW ENGINE INNODB STATUS", &rows);

	if (xa != XA_OK)
		return xa;
	row = mysql_fetch_row(rows);
	xa = row == NULL || row[2] == NULL	     ? XAER_RMERR
	     : status_has_prepared(row[2], connection) ? XA_RETRY
						     : XA_OK;
	mysql_free_result(rows);
	return xa;
}

static int wait_until_ended(MYSQL *db, uint64_t connection)
{
	struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	int i, xa = look(db, connection);

	for (i = 0; xa == XA_RETRY && i < LOOK_MAX; i++) {
		nanosleep(&pause, NULL);
		xa = look(db, connection);
	}
	if (xa != XA_RETRY)
		return xa;
	userlog((char *)"mariadb: connection %llu still has a branch that "
		"nobody takes orders for, or InnoDB has so many transactions "
		"that it does not show all", (unsigned long long)connection);
	return XAER_RMFAIL;
}

/* ---- branches ---- */

int left_find(MYSQL *db, const XID *x, char ret_name[NAME_SIZE])
{
	MYSQL_RES *rows = NULL;
	uint64_t connection = 0;
	bool found = false;
	MYSQL_ROW row;
	XID one;
	int xa = db_query(db, "XA RECOVER", &rows);

	if (xa != XA_OK)
		return xa;
	while (!found && (row = mysql_fetch_row(rows)) != NULL)
		found = name_read(row, mysql_fetch_lengths(rows), &one,
				  &connection) &&
			name_same(&one, x);
	mysql_free_result(rows);
	if (!found || !name_of(x, connection, ret_name))
		return XAER_NOTA;
	return wait_until_ended(db, connection);
}

/* MariaDB lets one connection at a time end a branch, and says XAER_NOTA to the
 * others, also while that one waits, and may fail: who has locked all tables (FLUSH
 * TABLES WITH READ LOCK) holds up commits. Then the branch is still listed. */
static int is_gone(MYSQL *db, const XID *x)
{
	char name[NAME_SIZE];
	int xa = left_find(db, x, name);

	if (xa != XA_OK)
		return xa;
	userlog((char *)"mariadb: another connection is about to end branch "
		"%s: it is asked again", name);
	return XA_RETRY;
}

int left_end(MYSQL *db, const XID *x, const char *verb, bool *ret_sent)
{
	char name[NAME_SIZE];
	int xa = left_find(db, x, name);

	if (xa == XA_OK && db_is_lost(db))
		return XAER_RMFAIL;
	if (xa == XA_OK) {
		*ret_sent = true;
		xa = db_run_on(db, verb, name);
		if (xa == XAER_NOTA)
			return is_gone(db, x);
	}
	/* A branch that has only read: MariaDB has ended it with its
	 * connection. */
	return xa == XA_RBROLLBACK ? XA_OK : xa;
}

int left_list(MYSQL *db, XID *xids, long max)
{
	MYSQL_RES *rows = NULL;
	uint64_t connection;
	MYSQL_ROW row;
	int n = 0, xa = db_query(db, "XA RECOVER", &rows);

	if (xa != XA_OK)
		return xa;
	while (n < max && (row = mysql_fetch_row(rows)) != NULL)
		n += name_read(row, mysql_fetch_lengths(rows), &xids[n],
			       &connection);
	mysql_free_result(rows);
	return n;
}
