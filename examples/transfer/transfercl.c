/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfercl.c - move money between places, each time in a transaction
 *
 *	transfercl fill QUEUE COINS
 *	transfercl move FIRST COUNT PLACE PLACE...
 *	transfercl empty QUEUE
 *
 * A line is printed for each transfer: "ID FROM TO TOLD COIN". TOLD is what the
 * program was told: done, undone, or unknown, which it is when the coordinator died
 * while it was asked for commit. COIN is the coin that it took out of a queue, 0 if
 * it took none. The ids begin with FIRST; the coins of `fill` are -1, -2, ...
 * `empty` takes all coins and prints them. SIGTERM ends the program after the
 * transfer that is under way.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <atmi.h>

#include "places.h"

#define TIMEOUT 10 /* seconds */
#define REST_MS 50 /* after a transfer that was not done */

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static int fail(const char *what)
{
	fprintf(stderr, "transfercl: %s: %s\n", what, tpstrerror(tperrno));
	tpterm();
	return 1;
}

static int fill(const char *queue, long coins)
{
	char place[64];
	long i;

	snprintf(place, sizeof(place), "Q:%.60s", queue);
	for (i = 1; i <= coins; i++)
		if (place_add(place, -i, 1, NULL) != 0)
			return fail("fill");
	tpterm();
	return 0;
}

static int empty(const char *queue)
{
	char place[64];
	long coin = 0;
	int r;

	snprintf(place, sizeof(place), "Q:%.60s", queue);
	while ((r = place_add(place, 0, -1, &coin)) == 0)
		printf("%ld\n", coin);
	if (r < 0) {
		fputs("transfercl: empty: a coin cannot be taken\n", stderr);
		return 1;
	}
	tpterm();
	return 0;
}

/* What tpcommit() has told. */
static const char *told(int r)
{
	if (r == 0)
		return "done";
	return tperrno == TPEABORT ? "undone" : "unknown";
}

/* What is away is back soon. */
static void rest(void)
{
	struct timespec ts = { .tv_nsec = REST_MS * 1000000L };

	nanosleep(&ts, NULL);
}

static const char *transfer(long id, const char *from, const char *to,
			    long *ret_coin)
{
	if (tpbegin(TIMEOUT, 0) != 0)
		return "undone";
	if (place_add(from, id, -1, ret_coin) == 0 &&
	    place_add(to, id, 1, NULL) == 0)
		return told(tpcommit(0));
	tpabort(0); /* whatever it says: nobody has asked for commit */
	return "undone";
}

int main(int argc, char **argv)
{
	const struct sigaction on_term = { .sa_handler = stop };
	int places = argc - 4, from, to;
	const char *what;
	unsigned int seed;
	sigset_t term;
	long id, end, coin;

	if (argc == 4 && strcmp(argv[1], "fill") == 0)
		return fill(argv[2], atol(argv[3]));
	if (argc == 3 && strcmp(argv[1], "empty") == 0)
		return empty(argv[2]);
	if (places < 2 || strcmp(argv[1], "move") != 0) {
		fputs("usage: transfercl fill QUEUE COINS | "
		      "move FIRST COUNT PLACE PLACE... | empty QUEUE\n",
		      stderr);
		return 2;
	}
	sigaction(SIGTERM, &on_term, NULL);
	if (tpopen() != 0) {
		fprintf(stderr, "tpopen: %s\n", tpstrerror(tperrno));
		return 1;
	}
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	seed = (unsigned int)atol(argv[2]);
	end = atol(argv[2]) + atol(argv[3]);
	for (id = atol(argv[2]); id < end && !stopped; id++) {
		from = rand_r(&seed) % places;
		/* A signal ends waiting calls: not in a transfer. */
		sigprocmask(SIG_BLOCK, &term, NULL);
		to = (from + 1 + rand_r(&seed) % (places - 1)) % places;
		coin = 0;
		what = transfer(id, argv[4 + from], argv[4 + to], &coin);
		printf("%ld %s %s %s %ld\n", id, argv[4 + from], argv[4 + to],
		       what, coin);
		fflush(stdout);
		if (strcmp(what, "done") != 0)
			rest();
		sigprocmask(SIG_UNBLOCK, &term, NULL);
	}
	tpterm();
	return 0;
}
