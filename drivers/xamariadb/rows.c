/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - decisions as rows of a table in the database
 */
#include "drivers/xamariadb/rows.h"

#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>

#include "drivers/parking/log.h"
#include "drivers/parking/statement.h"

/* Whatever the server's configuration says of new sessions. Shorter than what a
 * process waits for its database, longer than a commit may wait for locks. Rows are
 * removed without locks on the gaps where others insert. NULL is no 0. */
#define SESSION                                                           \
	"SET SESSION autocommit = 1, tx_read_only = 0, "                  \
	"tx_isolation = 'READ-COMMITTED', innodb_lock_wait_timeout = 15, " \
	"lock_wait_timeout = 15, sql_mode = 'STRICT_ALL_TABLES'"

#define TABLE                                                             \
	"CREATE TABLE IF NOT EXISTS onewake.decision (gtrid varchar(128) " \
	"PRIMARY KEY, words mediumtext, committed boolean NOT NULL, "      \
	"at timestamp NOT NULL DEFAULT current_timestamp()) ENGINE=InnoDB " \
	"CHARACTER SET ascii COLLATE ascii_bin"

#define LOG_TABLE                                                          \
	"CREATE TABLE IF NOT EXISTS onewake.log (identity varchar(128) "   \
	"PRIMARY KEY) ENGINE=InnoDB CHARACTER SET ascii COLLATE ascii_bin"

/* One statement without rows. */
static int command(void *db, const char *sql)
{
	return db_is_lost(db) ? XAER_RMFAIL : db_run(db, sql);
}

/* The first column of the first row, as a copy in `to`; "": there is none. */
static int value_of(MYSQL *db, const char *sql, char *to, size_t size)
{
	MYSQL_RES *rows = NULL;
	MYSQL_ROW row;
	int xa = db_query(db, sql, &rows);

	if (xa != XA_OK)
		return xa;
	row = mysql_fetch_row(rows);
	snprintf(to, size, "%s", row != NULL && row[0] != NULL ? row[0] : "");
	mysql_free_result(rows);
	return XA_OK;
}

/* A number. */
static int number(void *db, const char *sql, long *ret)
{
	char text[24] = "";
	int xa = value_of(db, sql, text, sizeof(text));

	*ret = atol(text);
	return xa;
}

static int count_tables(MYSQL *db, long *ret)
{
	return number(db, "SELECT count(*) FROM information_schema.tables WHERE "
		      "table_schema = 'onewake' AND table_name IN ('decision', "
		      "'log') AND engine = 'InnoDB'", ret);
}

static int make_tables(MYSQL *db)
{
	int xa = command(db, "CREATE DATABASE IF NOT EXISTS onewake");

	if (xa == XA_OK)
		xa = command(db, TABLE);
	return xa == XA_OK ? command(db, LOG_TABLE) : xa;
}

static int need_tables(MYSQL *db)
{
	long n = 0;
	int xa = count_tables(db, &n);

	if (xa != XA_OK || n == 2)
		return xa;
	xa = make_tables(db);
	if (xa == XA_OK)
		xa = count_tables(db, &n);
	if (xa != XA_OK || n == 2)
		return xa;
	userlog((char *)"mariadb: onewake.decision and onewake.log must be "
		"tables of InnoDB");
	return XAER_RMERR;
}

int rows_open(MYSQL *db, const XID *x, const struct ow_xa_life *life)
{
	const struct parking_rows rows = {
		.name = "mariadb",
		.insert = "INSERT IGNORE INTO",
		.unless_there = "",
		.db = db,
		.command = command,
		.number = number,
	};
	int xa = command(db, SESSION);

	if (xa == XA_OK)
		xa = need_tables(db);
	if (xa == XA_OK)
		xa = parking_log_open(&rows, x, life);
	if (xa != XA_OK || !db_has_binary_log())
		return xa;
	userlog((char *)"mariadb: log_bin is on: a crash of the server makes "
		"a prepared branch of what was committed in one phase, so it "
		"cannot be the last resource");
	return XA_RDONLY;
}

/* A database that does not know this life has no word for it (NULL): that fails. */
char *rows_insert(const XID *x, const char *words)
{
	char key[KEY_SIZE], log[PARKING_NAME_SIZE];
	size_t size = strlen(words) + KEY_SIZE + PARKING_NAME_SIZE + 200;
	char *sql = malloc(size);

	key_of(x, x->gtrid_length, key);
	parking_log_name(x, log);
	if (sql != NULL)
		snprintf(sql, size, "INSERT INTO onewake.decision (gtrid, "
			 "words, committed) SELECT '%s', '%s', CASE WHEN "
			 "count(*) = 1 THEN 1 END FROM onewake.log WHERE "
			 "identity = '%s'", key, words, log);
	return sql;
}

/* In a database that does not know this life nothing is inserted, and nothing
 * known. Else the insertion waits for one of the same key that is under way, and
 * leaves the row that it finds then. ON DUPLICATE KEY would need the right to
 * UPDATE. */
int rows_outcome(MYSQL *db, const XID *x)
{
	char sql[KEY_SIZE + PARKING_NAME_SIZE + 300], is[8] = "";
	char key[KEY_SIZE], log[PARKING_NAME_SIZE];
	int xa = command(db, SESSION);

	key_of(x, x->gtrid_length, key);
	parking_log_name(x, log);
	snprintf(sql, sizeof(sql), "INSERT IGNORE INTO onewake.decision "
		 "(gtrid, committed) SELECT '%s', 0 FROM onewake.log WHERE "
		 "identity = '%s'", key, log);
	if (xa == XA_OK)
		xa = db_run(db, sql);
	if (xa != XA_OK)
		return xa;
	parking_select_outcome(x, sql);
	xa = value_of(db, sql, is, sizeof(is));
	if (xa != XA_OK)
		return xa;
	return strcmp(is, "1") == 0   ? XA_OK
	       : strcmp(is, "0") == 0 ? XA_RBROLLBACK
				      : XAER_RMERR;
}

int rows_each(MYSQL *db, const XID *x,
	      void (*found)(const XID *row, const char *words, void *arg),
	      void *arg)
{
	char sql[PARKING_STATEMENT];
	MYSQL_RES *rows = NULL;
	MYSQL_ROW row;
	int xa = command(db, SESSION);
	XID one;

	parking_select_all(x, sql);
	if (xa == XA_OK)
		xa = db_query(db, sql, &rows);
	if (xa != XA_OK)
		return xa;
	while ((row = mysql_fetch_row(rows)) != NULL) {
		key_read(row[0], &one);
		found(&one, row[1] != NULL ? row[1] : "", arg);
	}
	mysql_free_result(rows);
	return XA_OK;
}

/* What a power cut of the database brings back is forgotten once more. */
int rows_forget(MYSQL *db, const XID *rows, int n)
{
	char *sql = parking_delete("", rows, n, "");
	int xa = command(db, SESSION);

	if (sql == NULL)
		return XAER_RMERR;
	if (xa == XA_OK)
		xa = db_run(db, sql);
	free(sql);
	return xa;
}
