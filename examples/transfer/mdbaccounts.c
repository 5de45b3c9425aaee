/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mdbaccounts.c - accounts in MariaDB: the service MDB
 *
 * As pgaccounts.c; the tables are InnoDB's.
 */
#include <mysql.h>
#include <stdio.h>
#include <userlog.h>
#include <atmi.h>

static int run(MYSQL *db, const char *sql)
{
	int ok = db != NULL && mysql_query(db, sql) == 0;

	if (!ok)
		userlog((char *)"mdbaccounts: %s: %s", sql,
			db != NULL ? mysql_error(db) : "no connection");
	return ok;
}

static void move(TPSVCINFO *svc)
{
	MYSQL *db = tpgetconn(); /* of the transaction: another one each time */
	long id, account, amount;
	char sql[200];

	if (sscanf(svc->data, "%ld %ld %ld", &id, &account, &amount) != 3) {
		userlog((char *)"mdbaccounts: \"%.60s\": give ID ACCOUNT AMOUNT",
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
		return tpadvertise("MDB", move);
	userlog((char *)"mdbaccounts: %s", tpstrerror(tperrno));
	return -1;
}

void tpsvrdone(void)
{
	tpclose();
}
