/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bankcl.c - the client of the BANK example: threads that call BALANCE
 *
 *	bankcl [CALLS [THREADS]]
 *
 * Every reply is checked. The exit status is 0 if all replies were right.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <atmi.h>
#include <ubf.h>

#include "bank.fd.h"

struct worker {
	pthread_t thread;
	long first, calls, wrong;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* One call; 0 if the reply is right. */
static int ask(UBFH **ub, long number)
{
	char account[29];
	double balance = -1;
	long len = 0;

	snprintf(account, sizeof(account), "ACC%011ld", number);
	if (Bchg(*ub, T_ACCNUM, 0, account, 0) != 0 ||
	    Bchg(*ub, T_ACCCUR, 0, "USD", 0) != 0) {
		fprintf(stderr, "bankcl: %s\n", Bstrerror(Berror));
		return -1;
	}
	if (tpcall("BALANCE", (char *)*ub, 0, (char **)ub, &len, 0) == -1) {
		fprintf(stderr, "bankcl: BALANCE: %s\n", tpstrerror(tperrno));
		return -1;
	}
	if (Bget(*ub, T_AMTAVL, 0, (char *)&balance, NULL) != 0)
		return -1;
	return balance == (double)number / 100 ? 0 : -1;
}

/* Each thread is a client of its own. */
static int join(void)
{
	TPINIT *info = (TPINIT *)tpalloc("TPINIT", NULL, TPINITNEED(0));
	int r;

	if (info == NULL)
		return -1;
	memset(info, 0, sizeof(*info));
	info->flags = TPMULTICONTEXTS;
	r = tpinit(info);
	tpfree((char *)info);
	return r;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	UBFH *ub = (UBFH *)tpalloc("UBF", NULL, 1024);
	long i;

	if (ub == NULL || join() != 0) {
		fprintf(stderr, "bankcl: %s\n", tpstrerror(tperrno));
		w->wrong = w->calls;
		return NULL;
	}
	for (i = 0; i < w->calls; i++)
		if (ask(&ub, w->first + i) != 0)
			w->wrong++;
	tpfree((char *)ub);
	tpterm();
	return NULL;
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000;
	long threads = argc > 2 ? atol(argv[2]) : 4, i, wrong = 0;
	struct worker *w;
	double start = now();

	if (calls < 1 || threads < 1 || threads > 10000) {
		fprintf(stderr, "usage: bankcl [CALLS [THREADS]]\n");
		return 2;
	}
	w = calloc((size_t)threads, sizeof(*w));
	if (w == NULL)
		return 2;
	for (i = 0; i < threads; i++) {
		w[i].first = i * (calls / threads);
		w[i].calls = calls / threads;
		if (pthread_create(&w[i].thread, NULL, work, &w[i]) != 0)
			return 2;
	}
	for (i = 0; i < threads; i++) {
		pthread_join(w[i].thread, NULL);
		wrong += w[i].wrong;
	}
	printf("%ld calls, %ld threads: %.0f calls/s, %ld wrong\n", calls,
	       threads, (double)calls / (now() - start), wrong);
	free(w);
	return wrong == 0 ? 0 : 1;
}
