/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tlr.c - bankapp, the tellers: INQUIRY, DEPOSIT, WITHDRAWAL
 *
 *	buildserver -o TLR -f tlr.c -s INQUIRY -s DEPOSIT,WITHDRAWAL:book
 *
 * Option -n COUNT: accounts 10001 and following, $1000.00 each. They are in
 * the memory of the server: in a bank they would be in a database.
 */
#include <string.h>
#include <unistd.h>
#include <atmi.h>
#include <fml32.h>
#include <userlog.h>

#include "bankflds.h"
#include "money.h"

#define FIRST	     10001
#define ACCOUNTS_MAX 1000
#define START	     100000 /* cents */

void INQUIRY(TPSVCINFO *request);
void book(TPSVCINFO *request);

static long balances[ACCOUNTS_MAX];
static long count = 10;

int tpsvrinit(int argc, char **argv)
{
	int c;
	long i;

	while ((c = getopt(argc, argv, "n:")) != -1) {
		if (c != 'n')
			return -1;
		count = atol(optarg);
	}
	if (count < 1 || count > ACCOUNTS_MAX) {
		userlog("-n: give 1 to %d accounts", ACCOUNTS_MAX);
		return -1;
	}
	for (i = 0; i < count; i++)
		balances[i] = START;
	return 0;
}

/* End the service with a reason. */
static void refuse(FBFR32 *fb, const char *why)
{
	Fchg32(fb, STATLIN, 0, (char *)why, 0);
	tpreturn(TPFAIL, 0, (char *)fb, 0, 0);
}

/* The account of the request; NULL: there is none. */
static long *account(FBFR32 *fb)
{
	long id = 0;

	if (Fget32(fb, ACCOUNT_ID, 0, (char *)&id, NULL) == -1 ||
	    id < FIRST || id >= FIRST + count)
		return NULL;
	return &balances[id - FIRST];
}

static void answer(FBFR32 *fb, long balance)
{
	char text[MONEY_SIZE];

	money_write(balance, text);
	Fchg32(fb, SBALANCE, 0, text, 0);
	tpreturn(TPSUCCESS, 0, (char *)fb, 0, 0);
}

/* The buffer of a request with room for what is added. */
static FBFR32 *with_room(TPSVCINFO *request)
{
	return (FBFR32 *)(void *)tprealloc(request->data, 2048);
}

void INQUIRY(TPSVCINFO *request)
{
	FBFR32 *fb = with_room(request);
	const long *balance = account(fb);

	if (balance == NULL)
		refuse(fb, "Invalid account number");
	else
		answer(fb, *balance);
}

/* DEPOSIT and WITHDRAWAL. */
void book(TPSVCINFO *request)
{
	FBFR32 *fb = with_room(request);
	long *balance = account(fb);
	char text[MONEY_SIZE] = "";
	FLDLEN32 len = sizeof(text);
	long amount;

	Fget32(fb, SAMOUNT, 0, text, &len);
	amount = money_read(text);
	if (balance == NULL)
		refuse(fb, "Invalid account number");
	else if (amount <= 0)
		refuse(fb, "Invalid amount");
	else if (strcmp(request->name, "DEPOSIT") == 0)
		answer(fb, *balance += amount);
	else if (amount > *balance)
		refuse(fb, "Account Overdraft");
	else
		answer(fb, *balance -= amount);
}
