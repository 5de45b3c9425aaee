/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bankclt.c - bankapp, the client: one request to the bank
 *
 *	buildclient -o bankclt -f bankclt.c
 *	bankclt INQUIRY 10001
 *	bankclt DEPOSIT 10001 '$50.00'
 *	bankclt TRANSFER 10001 10002 '$50.00'
 *
 * Prints the balance, or why there is none. Exit status 0: done; 1: refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <atmi.h>
#include <fml32.h>

#include "bankflds.h"
#include "money.h"

static void print(FBFR32 *fb, FLDID32 id, const char *what)
{
	char text[256];
	FLDLEN32 len;
	FLDOCC32 i;

	for (i = 0; len = sizeof(text),
	    Fget32(fb, id, i, text, &len) != -1; i++)
		printf("%s: %s\n", what, text);
}

/* The words behind the service: accounts, then an amount. */
static int fill(FBFR32 *fb, int argc, char **argv)
{
	int i, accounts = 0;
	long id;

	for (i = 2; i < argc; i++) {
		if (argv[i][0] == '$') {
			if (Fchg32(fb, SAMOUNT, 0, argv[i], 0) == -1)
				return -1;
			continue;
		}
		id = atol(argv[i]);
		if (Fchg32(fb, ACCOUNT_ID, accounts++, (char *)&id, 0) == -1)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	FBFR32 *fb = (FBFR32 *)(void *)tpalloc("FML32", NULL, 2048);
	long len = 0;
	int r;

	if (argc < 3 || fb == NULL || fill(fb, argc, argv) != 0) {
		fputs("Usage: bankclt SERVICE ACCOUNT... [$AMOUNT]\n", stderr);
		return 1;
	}
	r = tpcall(argv[1], (char *)fb, 0, (char **)&fb, &len, 0);
	if (r == -1 && tperrno != TPESVCFAIL)
		fprintf(stderr, "%s: %s\n", argv[1], tpstrerror(tperrno));
	else if (r == -1)
		print(fb, STATLIN, "Refused");
	else
		print(fb, SBALANCE, "Balance");
	tpfree((char *)fb);
	tpterm();
	return r == -1;
}
