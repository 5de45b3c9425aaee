/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asks.h - many BALANCE calls in flight, for a client with a loop of its own
 *
 * The client begins calls and takes replies when its loop says that some are
 * there; it has one context and one descriptor, however many calls are out.
 */
#ifndef BANK_ASKS_H
#define BANK_ASKS_H

#include <stdio.h>
#include <stdlib.h>
#include <atmi.h>
#include <tpbind.h>
#include <ubf.h>

#include "bank.fd.h"

#define ASKS_MAX 16384 /* descriptors of a context */

struct asks {
	long to_begin, out, right, wrong;
	long account[ASKS_MAX]; /* of the call of each descriptor */
	UBFH *question, *answer;
};

static int asks_init(struct asks *a, long calls)
{
	a->to_begin = calls;
	a->question = (UBFH *)tpalloc("UBF", NULL, 1024);
	return a->question != NULL &&
		       Bchg(a->question, T_ACCCUR, 0, "USD", 0) == 0
		   ? 0 : -1;
}

/* Begin calls until `in_flight` of them are out: 0, or -1. */
static int asks_begin(struct asks *a, long in_flight)
{
	char account[29];
	int cd;

	while (a->to_begin > 0 && a->out < in_flight) {
		snprintf(account, sizeof(account), "ACC%011ld", a->to_begin);
		if (Bchg(a->question, T_ACCNUM, 0, account, 0) != 0)
			return -1;
		cd = tpacall("BALANCE", (char *)a->question, 0, 0);
		if (cd == -1) {
			fprintf(stderr, "tpacall: %s\n", tpstrerror(tperrno));
			return -1;
		}
		a->account[cd] = a->to_begin--;
		a->out++;
	}
	return 0;
}

/* Take all replies that are there: 0, or -1. */
static int asks_take(struct asks *a)
{
	double balance;
	long len;
	int cd;

	while (tpgetrply(&cd, (char **)&a->answer, &len,
			 TPGETANY | TPNOBLOCK) == 0) {
		if (Bget(a->answer, T_AMTAVL, 0, (char *)&balance, NULL) == 0 &&
		    balance == (double)a->account[cd] / 100)
			a->right++;
		else
			a->wrong++;
		a->out--;
	}
	if (tperrno == TPEBLOCK)
		return 0;
	fprintf(stderr, "tpgetrply: %s\n", tpstrerror(tperrno));
	return -1;
}

static int asks_end(struct asks *a)
{
	printf("right %ld, wrong %ld\n", a->right, a->wrong);
	tpfree((char *)a->question);
	if (a->answer != NULL)
		tpfree((char *)a->answer);
	return tpterm() == 0 && a->wrong == 0 ? 0 : 1;
}

#endif
