/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xfer.c - bankapp, TRANSFER: a withdrawal and a deposit
 *
 *	buildserver -o XFER -f xfer.c -s TRANSFER
 *
 * ACCOUNT_ID has two occurrences: from, to. If the deposit fails, the
 * withdrawal is paid back.
 */
#include <string.h>
#include <atmi.h>
#include <fml32.h>
#include <userlog.h>

#include "bankflds.h"
#include "money.h"

void TRANSFER(TPSVCINFO *request);

/* Call DEPOSIT or WITHDRAWAL: the balance, or why it failed, is in `text`. */
static int call(const char *service, long id, const char *amount, char *text,
		FLDLEN32 size)
{
	FBFR32 *fb = (FBFR32 *)(void *)tpalloc("FML32", NULL, 1024);
	int r = -1, failed;
	long len = 0;

	snprintf(text, size, "No memory");
	if (fb == NULL)
		return -1;
	Fchg32(fb, ACCOUNT_ID, 0, (char *)&id, 0);
	Fchg32(fb, SAMOUNT, 0, (char *)amount, 0);
	r = tpcall((char *)service, (char *)fb, 0, (char **)&fb, &len, 0);
	failed = r == -1 ? tperrno : 0;
	if (failed != 0 && failed != TPESVCFAIL)
		snprintf(text, size, "%s: %s", service, tpstrerror(failed));
	else
		Fget32(fb, r == -1 ? STATLIN : SBALANCE, 0, text, &size);
	tpfree((char *)fb);
	return r;
}

static void finish(FBFR32 *fb, int failed, const char *from, const char *to)
{
	if (failed) {
		Fchg32(fb, STATLIN, 0, (char *)from, 0);
		tpreturn(TPFAIL, 0, (char *)fb, 0, 0);
		return;
	}
	Fchg32(fb, SBALANCE, 0, (char *)from, 0);
	Fchg32(fb, SBALANCE, 1, (char *)to, 0);
	tpreturn(TPSUCCESS, 0, (char *)fb, 0, 0);
}

void TRANSFER(TPSVCINFO *request)
{
	FBFR32 *fb = (FBFR32 *)(void *)tprealloc(request->data, 2048);
	long from = 0, to = 0;
	char amount[MONEY_SIZE] = "", one[128], two[128];
	FLDLEN32 len = sizeof(amount);

	Fget32(fb, ACCOUNT_ID, 0, (char *)&from, NULL);
	Fget32(fb, ACCOUNT_ID, 1, (char *)&to, NULL);
	Fget32(fb, SAMOUNT, 0, amount, &len);
	if (call("WITHDRAWAL", from, amount, one, sizeof(one)) == -1) {
		finish(fb, 1, one, NULL);
	} else if (call("DEPOSIT", to, amount, two, sizeof(two)) == -1) {
		if (call("DEPOSIT", from, amount, one, sizeof(one)) == -1)
			userlog("%s of %ld is lost: %s", amount, from, one);
		finish(fb, 1, two, NULL);
	} else {
		finish(fb, 0, one, two);
	}
}
