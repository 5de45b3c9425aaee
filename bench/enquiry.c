/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enquiry.c - call BALANCE for an account and check the reply
 */
#include "bench/enquiry.h"

#include <stdio.h>
#include <atmi.h>

#include "bank.fd.h"

int ow_enquiry_set(UBFH *ub, long number)
{
	char account[29];

	snprintf(account, sizeof(account), "ACC%011ld", number);
	return Bchg(ub, T_ACCNUM, 0, account, 0);
}

UBFH *ow_enquiry_new(long number)
{
	UBFH *ub = (UBFH *)tpalloc("UBF", NULL, 1024);

	if (ub == NULL)
		return NULL;
	if (ow_enquiry_set(ub, number) == 0 &&
	    Bchg(ub, T_ACCCUR, 0, "USD", 0) == 0)
		return ub;
	tpfree((char *)ub);
	return NULL;
}

int ow_enquiry_ask(UBFH **ub, long number)
{
	double balance = -1;
	long len = 0;

	if (tpcall("BALANCE", (char *)*ub, 0, (char **)ub, &len, 0) == -1)
		return OW_ENQUIRY_FAILED;
	if (Bget(*ub, T_AMTAVL, 0, (char *)&balance, NULL) != 0 ||
	    balance != (double)number / 100)
		return OW_ENQUIRY_WRONG;
	return 0;
}
