/* SPDX-License-Identifier: Apache-2.0 */
/*
 * banksv.c - the server of the BANK example: service BALANCE
 *
 * In: T_ACCNUM and T_ACCCUR. Out: the same buffer with T_AMTAVL added. The
 * balance is computed from the account number, so that a caller can check it.
 */
#include <stdio.h>
#include <atmi.h>
#include <ubf.h>
#include <userlog.h>

#include "bank.fd.h"

void BALANCE(TPSVCINFO *svc);

/* Digits of the account number, as cents. */
static double balance_of(const char *account)
{
	double cents = 0;

	for (; *account != '\0'; account++)
		if (*account >= '0' && *account <= '9')
			cents = cents * 10 + (*account - '0');
	return cents / 100;
}

void BALANCE(TPSVCINFO *svc)
{
	UBFH *ub = (UBFH *)svc->data;
	char account[29], currency[4];
	BFLDLEN len = sizeof(account);
	double balance;

	/* Space for the reply; the buffer may move. */
	ub = (UBFH *)tprealloc((char *)ub, Bused(ub) + 1024);
	if (ub == NULL)
		tpreturn(TPFAIL, 0, svc->data, 0, 0);
	if (Bget(ub, T_ACCNUM, 0, account, &len) != 0) {
		userlog("BALANCE: no account: %s", Bstrerror(Berror));
		tpreturn(TPFAIL, 1, (char *)ub, 0, 0);
	}
	len = sizeof(currency);
	if (Bget(ub, T_ACCCUR, 0, currency, &len) != 0) {
		userlog("BALANCE: no currency: %s", Bstrerror(Berror));
		tpreturn(TPFAIL, 2, (char *)ub, 0, 0);
	}
	balance = balance_of(account);
	if (Bchg(ub, T_AMTAVL, 0, (char *)&balance, 0) != 0)
		tpreturn(TPFAIL, 3, (char *)ub, 0, 0);
	tpreturn(TPSUCCESS, 0, (char *)ub, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (tpadvertise("BALANCE", BALANCE) == -1) {
		userlog("banksv: %s", tpstrerror(tperrno));
		return -1;
	}
	return 0;
}

void tpsvrdone(void)
{
}
