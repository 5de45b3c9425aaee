/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accounts.c - a service that changes an account, whatever the database is
 *
 * A request is the text "ID ACCOUNT AMOUNT": the amount is added to the account,
 * and the transfer is noted, both in the caller's transaction. The tables:
 *
 *	create table account (id int primary key, balance bigint check (balance >= 0));
 *	create table moved (id bigint primary key, account int, amount bigint);
 */
#include <stdio.h>
#include <userlog.h>
#include <atmi.h>

#include "accounts.h"

static void move(TPSVCINFO *svc)
{
	long id, account, amount;
	char sql[200];

	if (sscanf(svc->data, "%ld %ld %ld", &id, &account, &amount) != 3) {
		userlog((char *)"%s: \"%.60s\": give ID ACCOUNT AMOUNT",
			program, svc->data);
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	}
	snprintf(sql, sizeof(sql), "update account set balance = balance + %ld "
		 "where id = %ld", amount, account);
	if (run(sql) != 0)
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	snprintf(sql, sizeof(sql), "insert into moved (id, account, amount) "
		 "values (%ld, %ld, %ld)", id, account, amount);
	if (run(sql) != 0)
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	tpreturn(TPSUCCESS, 0, NULL, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	if (tpopen() == 0)
		return tpadvertise(service, move);
	userlog((char *)"%s: %s", program, tpstrerror(tperrno));
	return -1;
}

void tpsvrdone(void)
{
	tpclose();
}
