/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mdbsv.c - a server whose services run SQL in MariaDB
 *
 * After `--`: the services. A request is one statement; the answer's rcode is
 * the first column of the first row, if there is one. A statement that fails
 * is TPFAIL; `QUIET ` before it: the failure is ignored. `HALF `: of its answer
 * only the first row is read; `half `: the same, and TPFAIL.
 * `FORK `: then a child lives for a while, and the service hangs.
 * `RECONNECT `: the library may connect again from now on. `SEND `: the answer of
 * each statement is left where it is; `Send `: of each but the first. `a | b | c` are three statements: all but
 * the last may fail.
 */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xatmi.h>

#include "sqlsv.h"

static long first_column(MYSQL *db)
{
	MYSQL_RES *rows = mysql_store_result(db);
	MYSQL_ROW row = rows != NULL ? mysql_fetch_row(rows) : NULL;
	long n = row != NULL && row[0] != NULL ? atol(row[0]) : 0;

	mysql_free_result(rows);
	return n;
}

static void read_one_row(MYSQL *db, const char *sql)
{
	if (db != NULL && mysql_query(db, sql) == 0)
		mysql_fetch_row(mysql_use_result(db));
}

/* All but the last statement, which is returned. */
static const char *run_first(MYSQL *db, const char *sql, int sends)
{
	const char *end;

	for (; db != NULL && (end = strstr(sql, " | ")) != NULL; sql = end + 3) {
		size_t len = (size_t)(end - sql);

		if (sends)
			mysql_send_query(db, sql, len);
		else if (mysql_real_query(db, sql, len) == 0)
			(void)first_column(db);
	}
	return sql;
}

void serve(TPSVCINFO *s)
{
	const char *sql = s->data;
	int sends = strncasecmp(sql, "SEND ", 5) == 0;
	int half = strncasecmp(sql, "HALF ", 5) == 0;
	int quiet = strncmp(sql, "QUIET ", 6) == 0;
	MYSQL *db = tpgetconn();
	int failed;
	long n = 0;

	if (strncmp(sql, "FORK ", 5) == 0) {
		mysql_query(db, sql + 5);
		leave_a_child();
	}
	if (strncmp(sql, "RECONNECT ", 10) == 0) {
		mysql_options(db, MYSQL_OPT_RECONNECT, "\1");
		sql += 10;
	}
	sql = run_first(db, sql + (sends ? 5 : 0), sends);
	if (sends) {
		mysql_send_query(db, sql, strlen(sql));
		if (((char *)s->data)[1] == 'e' &&
		    mysql_read_query_result(db) == 0)
			(void)first_column(db);
		tpreturn(TPSUCCESS, 0, NULL, 0, 0);
	}
	if (half) {
		read_one_row(db, sql + 5);
		tpreturn(*sql == 'H' ? TPSUCCESS : TPFAIL, 0, NULL, 0, 0);
	}
	failed = db == NULL || mysql_query(db, sql + (quiet ? 6 : 0)) != 0;
	if (!failed)
		n = first_column(db);
	else
		fprintf(stderr, "%s: %s\n", sql,
			db != NULL ? mysql_error(db) : "no connection");
	if (failed && !quiet)
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	tpreturn(TPSUCCESS, n, NULL, 0, 0);
}
