/* SPDX-License-Identifier: Apache-2.0 */
/*
 * poster.c - a client that posts events and counts their consumers
 *
 *	poster SUBSCRIBERS OTHERS POSTS
 *
 * It subscribes SINK (echosv.c) so often to its event, and to OTHERS names that
 * are never posted; then it posts. The result is one JSON object.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <atmi.h>

#include "libatmi/base/clock.h"

#define PATIENCE 1000 /* tries to reach tpevsrv, 10 ms each */

/* To SINKi: equal subscriptions are one. */
static long subscribe(const char *expr, long i)
{
	TPEVCTL ctl;

	memset(&ctl, 0, sizeof(ctl));
	ctl.flags = TPEVSERVICE;
	snprintf(ctl.name1, sizeof(ctl.name1), "SINK%ld", i);
	return tpsubscribe((char *)expr, NULL, &ctl, 0);
}

/* tpevsrv is being started. */
static int subscribe_all(long subscribers, long others)
{
	char expr[64];
	long i;

	for (i = 0; i < PATIENCE && tpunsubscribe(-1, 0) < 0; i++)
		usleep(10000);
	for (i = 0; i < subscribers; i++)
		if (subscribe("^POST$", i) < 0)
			return -1;
	for (i = 0; i < others; i++) {
		snprintf(expr, sizeof(expr), "^OTHER%ld$", i);
		if (subscribe(expr, 0) < 0)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	long subscribers = argc > 1 ? atol(argv[1]) : 1;
	long others = argc > 2 ? atol(argv[2]) : 0;
	long posts = argc > 3 ? atol(argv[3]) : 10000, i, got = 0;
	char *data = tpalloc((char *)"STRING", NULL, 256);
	uint64_t begin, took;

	if (data == NULL || subscribe_all(subscribers, others) != 0) {
		fprintf(stderr, "poster: %s\n", tpstrerror(tperrno));
		return 1;
	}
	memset(data, 'x', 200);
	data[200] = '\0';
	for (i = 0; i < 100; i++)
		tppost((char *)"POST", data, 0, 0);
	begin = ow_clock_mono_ns();
	for (i = 0; i < posts; i++)
		got += tppost((char *)"POST", data, 0, 0);
	took = ow_clock_mono_ns() - begin;
	printf("{\"failed\":%ld,\"ns_per_post\":%.0f}\n",
	       posts * subscribers - got, (double)took / (double)posts);
	tpunsubscribe(-1, 0);
	tpfree(data);
	return tpterm();
}
