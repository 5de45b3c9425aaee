/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steady.c - a client that calls until it is told to end, and notes what took
 * long
 *
 *	steady [-j] [-g US]
 *
 * One thread calls WHO (whosv.c), with pauses of US microseconds (1000), until
 * SIGTERM. -j: in each round it joins the domain, calls and leaves. The result
 * is one JSON object on standard output. `slow` has an entry for each round of
 * a millisecond and more: begin, end (seconds, CLOCK_MONOTONIC), process id of
 * the server (0: the call failed).
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <atmi.h>

#include "libatmi/base/clock.h"

#define SLOW_NS	   OW_NS_PER_MS
#define ROUNDS_MAX 1000000 /* slow ones that are noted */

struct round {
	uint64_t begin_ns, end_ns;
	int server;
};

struct client {
	bool joins;
	long gap_us;
	char *buf;
	uint64_t rounds, failed, longest_ns;
	struct round *slow;
	size_t n_slow;
	char why[200]; /* the last failure */
};

static volatile sig_atomic_t over;

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

/* The process that served the call; 0: it failed. */
static int call_who(struct client *c)
{
	int server = 0;
	long len = 0;

	if ((c->joins && tpinit(NULL) == -1) ||
	    tpcall((char *)"WHO", c->buf, sizeof(server), &c->buf, &len, 0) ==
		    -1 || len != (long)sizeof(server)) {
		snprintf(c->why, sizeof(c->why), "%s", tpstrerror(tperrno));
		return 0;
	}
	memcpy(&server, c->buf, sizeof(server));
	return server;
}

static void note(struct client *c, struct round r)
{
	uint64_t took = r.end_ns - r.begin_ns;

	c->rounds++;
	c->failed += r.server == 0;
	if (took > c->longest_ns)
		c->longest_ns = took;
	if ((took >= SLOW_NS || r.server == 0) && c->n_slow < ROUNDS_MAX)
		c->slow[c->n_slow++] = r;
}

static void run(struct client *c)
{
	const struct timespec gap = { .tv_sec = c->gap_us / 1000000,
				      .tv_nsec = c->gap_us % 1000000 * 1000 };
	struct round r;

	while (!over) {
		r.begin_ns = ow_clock_mono_ns();
		r.server = call_who(c);
		if (c->joins)
			tpterm();
		r.end_ns = ow_clock_mono_ns();
		if (r.server == 0 && over)
			break; /* SIGTERM interrupted it */
		note(c, r);
		nanosleep(&gap, NULL);
	}
}

/* As a JSON string; the messages have no quotes. */
static void print(struct client *c)
{
	size_t i;
	char *s;

	for (s = c->why; *s != '\0'; s++)
		if (*s == '"' || *s == '\\' || (unsigned char)*s < ' ')
			*s = '\'';
	printf("{\"rounds\":%llu,\"failed\":%llu,\"why\":\"%s\","
	       "\"longest_ms\":%.3f,\"slow\":[",
	       (unsigned long long)c->rounds, (unsigned long long)c->failed,
	       c->why, (double)c->longest_ns / 1e6);
	for (i = 0; i < c->n_slow; i++)
		printf("%s[%.6f,%.6f,%d]", i == 0 ? "" : ",",
		       (double)c->slow[i].begin_ns / 1e9,
		       (double)c->slow[i].end_ns / 1e9, c->slow[i].server);
	printf("]}\n");
}

static void usage(void)
{
	fprintf(stderr, "usage: steady [-j] [-g US]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_term,
				.sa_flags = SA_RESTART };
	static struct client c = { .gap_us = 1000 };
	int opt;

	while ((opt = getopt(argc, argv, "jg:")) != -1)
		switch (opt) {
		case 'j': c.joins = true; break;
		case 'g': c.gap_us = atol(optarg); break;
		default: usage();
		}
	if (optind < argc || c.gap_us < 0)
		usage();
	sigaction(SIGTERM, &sa, NULL);
	c.slow = malloc(ROUNDS_MAX * sizeof(*c.slow));
	c.buf = tpalloc((char *)"CARRAY", NULL, sizeof(int));
	if (c.slow == NULL || c.buf == NULL)
		return 2;
	run(&c);
	print(&c);
	tpfree(c.buf);
	tpterm();
	free(c.slow);
	return 0;
}
