/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mixsv.c - an echo server with one chosen fault
 *
 * After `--` the name of the service, then one of: good; slow (starts for a
 * second); crashstart (every second start crashes); crash:N, hang:N (at the
 * N-th call); deaf (ignores SIGINT and SIGTERM, and hangs at the 200th call);
 * leak:KB (with each call, up to LEAK_MAX_KB: a fast client must not exhaust
 * the machine before ndrxd checks its memory).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

#define LEAK_MAX_KB (64 * 1024)

static long crash_at, hang_at, leak_kb, served;

static void pass_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static void leak(void)
{
	static void *volatile lost; /* keeps the compiler from removing it */
	size_t n = (size_t)leak_kb * 1024;
	char *p = malloc(n);

	if (p != NULL)
		memset(p, 1, n); /* resident, and never freed */
	if (p != NULL)
		memcpy(p, (void *)&lost, sizeof(lost));
	lost = p;
}

static void mix(TPSVCINFO *s)
{
	size_t len;
	const char *p = test_bytes(s->data, s->len, &len);

	served++;
	if (leak_kb > 0 && served * leak_kb < LEAK_MAX_KB)
		leak();
	if (served == crash_at)
		abort();
	while (served == hang_at)
		pause();
	tpreturn(TPSUCCESS, test_sum(p, len), s->data, s->len, 0);
}

static int half(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (ts.tv_nsec / 1000 + getpid()) % 2;
}

static void behave(const char *how)
{
	if (strcmp(how, "slow") == 0)
		pass_ms(1000);
	if (strcmp(how, "crashstart") == 0 && half())
		abort();
	if (strncmp(how, "crash:", 6) == 0)
		crash_at = atol(how + 6);
	if (strncmp(how, "hang:", 5) == 0)
		hang_at = atol(how + 5);
	if (strncmp(how, "leak:", 5) == 0)
		leak_kb = atol(how + 5);
	if (strcmp(how, "deaf") == 0) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		hang_at = 200;
	}
}

int tpsvrinit(int argc, char **argv)
{
	if (argc < 3)
		return -1;
	behave(argv[2]);
	return tpadvertise(argv[1], mix);
}

void tpsvrdone(void)
{
}
