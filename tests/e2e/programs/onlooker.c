/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onlooker.c - look at calls in flight again and again, and check each row
 *
 *	onlooker SECONDS	until the time is over
 *
 * The requests are those of `testcl spray`: AMOUNT is any number n, NAME is
 * "n<n>", PAD has n % 3000 characters. Each look asks a random expression of
 * every request; of those chosen the contents are read and must fulfil it, and
 * be of one request. The last line of standard
 * error says in JSON what it has seen.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ubf.h>

#include "libndrx/observe/calls.h"
#include "libndrx/observe/calls_filter.h"

static long looks, rows, chosen, unreadable, wrong, deadlocks;
static unsigned int seed = 1;

static long below(long n)
{
	return (long)(rand_r(&seed) % (unsigned int)n);
}

/* Is the copy that of one request, and is AMOUNT at least `least`? */
static void check_contents(const struct ow_calls_buffer *b, double least)
{
	UBFH *ub = (UBFH *)b->data;
	double amount = -1;
	char name[64] = "", want[64];
	BFLDLEN len = sizeof(name), pad;

	if (Bget(ub, Bfldid("AMOUNT"), 0, (char *)&amount, NULL) < 0 ||
	    Bget(ub, Bfldid("NAME"), 0, name, &len) < 0) {
		wrong++;
		return;
	}
	snprintf(want, sizeof(want), "n%.0f", amount);
	pad = (BFLDLEN)Blen(ub, Bfldid("PAD"), 0);
	if (strcmp(name, want) != 0 || amount < least ||
	    pad != (BFLDLEN)((long)amount % 3000 + 1)) {
		fprintf(stderr, "AMOUNT %g, NAME %s, PAD %d, least %g\n",
			amount, name, (int)pad, least);
		wrong++;
	}
}

static void check_row(struct ow_calls *c, const struct ow_calls_row *r,
		      struct ow_calls_buffer *b, double least)
{
	if (strncmp(r->service, "S_", 2) != 0 || r->prio > 100) {
		fprintf(stderr, "service %s\n", r->service);
		wrong++;
	}
	(void)c;
	check_contents(b, least);
}

static void look_once(struct ow_observer *v, struct ow_calls_buffer *b)
{
	struct ow_calls_filter *f;
	struct ow_calls_chains *w;
	char text[200], why[1024];
	double least = (double)below(5000);
	struct ow_calls c;
	bool deadlock;
	size_t i;

	snprintf(text, sizeof(text),
		 "AMOUNT>=%g && (age>%ld || %ld<size || state=='%s')", least,
		 below(3), below(4000), below(2) ? "waits" : "served");
	if (ow_calls_filter_new(text, NULL, &f, why, sizeof(why)) != 0) {
		fprintf(stderr, "%s: %s\n", text, why);
		exit(2);
	}
	looks++;
	if (ow_calls_look(v, &c) == 0) {
		rows += (long)c.n;
		for (i = 0; i < c.n; i++)
			switch (ow_calls_filter_ask(f, &c, &c.row[i], b)) {
			case OW_CALLS_YES:
				chosen++;
				check_row(&c, &c.row[i], b, least);
				break;
			case OW_CALLS_UNREADABLE:
				unreadable++;
				break;
			case OW_CALLS_NO:
				break;
			}
		if (below(4) == 0 && ow_calls_chains_new(&c, &w) == 0) {
			for (i = 0; i < c.n; i++) {
				ow_calls_why(w, i, why, sizeof(why),
					     &deadlock);
				deadlocks += deadlock;
			}
			ow_calls_chains_free(w);
		}
		ow_calls_free(&c);
	}
	ow_calls_filter_free(f);
}

int main(int argc, char **argv)
{
	struct ow_calls_buffer b = { 0 };
	struct timespec now, begin;
	struct ow_observer v;
	char why[512];

	if (argc != 2 || ow_observer_open(&v, why, sizeof(why)) != 0)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	seed = (unsigned int)begin.tv_nsec;
	do {
		look_once(&v, &b);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < atol(argv[1]));
	ow_calls_buffer_free(&b);
	ow_observer_close(&v);
	fprintf(stderr, "{\"looks\":%ld,\"rows\":%ld,\"chosen\":%ld,\"unreadable\":%ld,"
	       "\"wrong\":%ld,\"deadlocks\":%ld}\n", looks, rows, chosen,
	       unreadable, wrong, deadlocks);
	return wrong != 0;
}
