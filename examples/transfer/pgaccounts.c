/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pgaccounts.c - accounts in PostgreSQL: the service PG
 *
 * A request is the text "ID ACCOUNT AMOUNT": the amount is added to the account,
 * and the transfer is noted, both in the caller's transaction. The tables:
 *
 *	create table account (id int primary key, balance bigint check (balance >= 0));
 *	create table moved (id bigint primary key, account int, amount bigint);
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <userlog.h>
#include <atmi.h>

static int run(PGconn *db, const char *sql)
{
	PGresult *r = db != NULL ? PQexec(db, sql) : NULL;
	int ok = PQresultStatus(r) == PGRES_COMMAND_OK;

	if (!ok)
		userlog((char *)"pgaccounts: %s: %s", sql, PQerrorMessage(db));
	PQclear(r);
	return ok;
}

static void move(TPSVCINFO *svc)
{
	PGconn *db = tpgetconn(); /* of the transaction */
	long id, account, amount;
	char sql[200];

	if (sscanf(svc->data, "%ld %ld %ld", &id, &account, &amount) != 3) {
		userlog((char *)"pgaccounts: \"%.60s\": give ID ACCOUNT AMOUNT",
			svc->data);
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	}
	snprintf(sql, sizeof(sql), "update account set balance = balance + %ld "
		 "where id = %ld", amount, account);
	if (!run(db, sql))
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	snprintf(sql, sizeof(sql), "insert into moved (id, account, amount) "
		 "values (%ld, %ld, %ld)", id, account, amount);
	if (!run(db, sql))
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	tpreturn(TPSUCCESS, 0, NULL, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	if (tpopen() == 0)
		return tpadvertise("PG", move);
	userlog((char *)"pgaccounts: %s", tpstrerror(tperrno));
	return -1;
}

void tpsvrdone(void)
{
	tpclose();
}
