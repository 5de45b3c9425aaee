/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - services of a known length, and callers that measure them
 *
 * KIND says what a request asks the service for:
 *	burnN	N microseconds of CPU time
 *	sleepN	N microseconds of sleep
 *	net	a sleep of 200 to 5,000 microseconds, at random
 *	mixed	99 of 100 burn 10 microseconds, one sleeps 50,000; only the
 *		times of the former are reported
 * Nothing here uses the libraries of the project: bare queues do the same.
 */
#ifndef OW_BENCH_WORK_H
#define OW_BENCH_WORK_H

#include <stdbool.h>
#include <stdint.h>

#define WORK_THREADS_MAX 1024

/* What a message carries. Times of CLOCK_MONOTONIC, in nanoseconds. */
struct work_order {
	uint32_t sleep_us, burn_us;
	uint64_t sent_ns;  /* by the caller */
	uint64_t begun_ns; /* the service begins */
	uint64_t ended_ns; /* it has done what was asked */
};

struct work_crowd {
	const char *kind;
	long threads;
	double seconds;
	/* Send the order and bring what the service made of it: 0, or the
	 * call failed. The first call of a thread is counted apart. */
	int (*call)(void *self, long thread, struct work_order *o);
	void (*leave)(void *self, long thread); /* a thread ends; NULL: nothing */
	void *self;
};

bool work_known(const char *kind);
/* In the service. */
void work_do(struct work_order *o);
/* Let all threads call until the time is over, and print one JSON object:
 * calls a second; microseconds of a call and of its parts: until the service
 * begins, what it lasts longer than was asked, from its end until the caller
 * has the reply; of the first call of each thread. The exit status. */
int work_run(const struct work_crowd *crowd);

#endif
