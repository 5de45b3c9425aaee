/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newssv.c - a server whose service executes posted jobs, and counts them
 *
 * DOJOB gets "NUMBER" by events; WHOAMI returns the caller's client id, all
 * bytes of it.
 */
#include <stdlib.h>

#include "news.h"

static struct news_ledger *ledger;

static void DOJOB(TPSVCINFO *info)
{
	long n = info->data != NULL ? atol(info->data) : -1;
	unsigned char was;

	if (n < 0 || n >= NEWS_JOBS) {
		atomic_fetch_add(&ledger->unposted, 1);
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	}
	was = atomic_fetch_or(&ledger->job[n], 4);
	if ((was & 1) == 0)
		atomic_fetch_add(&ledger->unposted, 1);
	atomic_fetch_add(was & 4 ? &ledger->twice : &ledger->done, 1);
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
