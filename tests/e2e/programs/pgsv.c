/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pgsv.c - a server whose services run SQL in PostgreSQL
 *
 * After `--`: the services. A request is one statement; the answer's rcode is
 * the first column of the first row, if there is one. A statement that fails
 * is TPFAIL; `QUIET ` before it: the failure is ignored. `HALF `: of its answer
 * only the first row is read; `half `: the same, and TPFAIL.
 * `FORK `: then a child lives for a while, and the service hangs.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xatmi.h>

#include "sqlsv.h"

static void read_one_row(PGconn *conn, const char *sql)
{
	if (conn != NULL && PQsendQuery(conn, sql) &&
	    PQsetSingleRowMode(conn))
		PQclear(PQgetResult(conn));
}

void serve(TPSVCINFO *s)
{
	const char *sql = s->data;
	int half = strncasecmp(sql, "HALF ", 5) == 0;
	int quiet = strncmp(sql, "QUIET ", 6) == 0;
	PGconn *conn = tpgetconn();
	PGresult *r = NULL;
	ExecStatusType st;
	long n = 0;

	if (strncmp(sql, "FORK ", 5) == 0) {
		PQclear(PQexec(conn, sql + 5));
		leave_a_child();
	}
	if (half) {
		read_one_row(conn, sql + 5);
		tpreturn(*sql == 'H' ? TPSUCCESS : TPFAIL, 0, NULL, 0, 0);
	}
	if (conn != NULL)
		r = PQexec(conn, sql + (quiet ? 6 : 0));
	st = PQresultStatus(r);
	if (st == PGRES_TUPLES_OK && PQntuples(r) > 0)
		n = atol(PQgetvalue(r, 0, 0));
	if (st != PGRES_TUPLES_OK && st != PGRES_COMMAND_OK)
		fprintf(stderr, "%s: %s\n", sql, PQerrorMessage(conn));
	PQclear(r);
	if (st != PGRES_TUPLES_OK && st != PGRES_COMMAND_OK && !quiet)
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	tpreturn(TPSUCCESS, n, NULL, 0, 0);
}
