/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pgaccounts.c - accounts in PostgreSQL: the service PG
 */
#include <libpq-fe.h>
#include <userlog.h>
#include <atmi.h>

#include "accounts.h"

char program[] = "pgaccounts", service[] = "PG";

int run(const char *sql)
{
	PGconn *db = tpgetconn(); /* of the transaction */
	PGresult *r = db != NULL ? PQexec(db, sql) : NULL;
	int ok = PQresultStatus(r) == PGRES_COMMAND_OK;

	if (!ok)
		userlog((char *)"pgaccounts: %s: %s", sql, PQerrorMessage(db));
	PQclear(r);
	return ok ? 0 : -1;
}
