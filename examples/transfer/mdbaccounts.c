/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mdbaccounts.c - accounts in MariaDB, in tables of InnoDB: the service MDB
 */
#include <mysql.h>
#include <userlog.h>
#include <atmi.h>

#include "accounts.h"

char program[] = "mdbaccounts", service[] = "MDB";

int run(const char *sql)
{
	MYSQL *db = tpgetconn(); /* of the transaction: another one each time */

	if (db != NULL && mysql_query(db, sql) == 0)
		return 0;
	userlog((char *)"mdbaccounts: %s: %s", sql,
		db != NULL ? mysql_error(db) : "no connection");
	return -1;
}
