/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newssv.c - a server whose service executes posted jobs, and counts them
 *
 * DOJOB gets "NUMBER" by events; WHOAMI returns the caller's client id, all
 * bytes of it. With NEWS_FAULT=lost, twice or invented in its environment it
 * executes each 20th job not at all, once more, or another one, which nobody has
 * posted.
 */
#include <stdlib.h>

#include "news.h"

static struct news_ledger *ledger;

/* The fault that the next job meets, "" none. */
static const char *find_fault(void)
{
	static long n;
	const char *fault = getenv("NEWS_FAULT");

	return fault != NULL && ++n % 20 == 0 ? fault : "";
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
	const char *fault = find_fault();
	long n = info->data != NULL ? atol(info->data) : -1;

	if (n < 0 || n >= NEWS_JOBS) {
		atomic_fetch_add(&ledger->unposted, 1);
		tpreturn(TPFAIL, 0, NULL, 0, 0);
	}
	if (strcmp(fault, "invented") == 0)
		execute(NEWS_JOBS - 1 - n);
	else if (strcmp(fault, "lost") != 0)
		execute(n);
	if (strcmp(fault, "twice") == 0)
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
