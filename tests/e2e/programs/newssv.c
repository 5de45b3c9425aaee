/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newssv.c - a server whose service executes posted jobs, and counts them
 *
 * DOJOB gets "NUMBER" by events; WHOAMI returns the caller's client id, all
 * bytes of it. With NEWS_FAULT=lost or twice in its environment it executes
 * each 20th job not at all, or once more.
 */
#include <stdlib.h>

#include "news.h"

static struct news_ledger *ledger;

/* How often is the next job executed? */
static int times(void)
{
	static long n;
	const char *fault = getenv("NEWS_FAULT");

	if (fault == NULL || ++n % 20 != 0)
		return 1;
	return strcmp(fault, "lost") == 0 ? 0 : strcmp(fault, "twice") == 0 ? 2 : 1;
}

static void execute(long n)
{
	unsigned char was = atomic_fetch_or(&ledger->job[n], 4);

	if ((was & 1) == 0)
		atomic_fetch_add(&ledger->unposted, 1);
	atomic_fetch_add(was & 4 ? &ledger->twice : &ledger->done, 1);
}

static void DOJOB(TPSVCINFO *info)
{
	int i, k = times();
	long n = info->data != NULL ? atol(info->data) : -1;

	if (n < 0 || n >= NEWS_JOBS) {
		atomic_fetch_add(&ledger->unposted, 1);
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	}
	for (i = 0; i < k; i++)
		execute(n);
	tpreturn(TPSUCCESS, 0, NULL, 0, 0);
}

static void WHOAMI(TPSVCINFO *info)
{
	char *p = tpalloc("CARRAY", NULL, sizeof(info->cltid));

	memcpy(p, &info->cltid, sizeof(info->cltid));
	tpreturn(TPSUCCESS, 0, p, sizeof(info->cltid), 0);
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	ledger = news_ledger();
	if (ledger == NULL)
		return -1;
	return tpadvertise("DOJOB", DOJOB) | tpadvertise("WHOAMI", WHOAMI);
}

void tpsvrdone(void)
{
}
