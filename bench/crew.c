/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew.c - threads that make transactions one after the other, and their times
 */
#include "bench/crew.h"

#include <stdio.h>

#include "libatmi/base/clock.h"

#define OWN  100 /* accounts of the first thread: this and the next */
#define WARM 20	 /* transactions of each thread that are not measured */

static pthread_barrier_t phase;

static void *work(void *arg)
{
	struct crew_worker *w = arg;
	const struct crew *c = w->crew;
	long i;

	if (c->begin != NULL)
		c->begin(w);
	for (i = 0; i < WARM; i++)
		w->failed += c->one(w, w->first + i) != 0;
	w->commit_ns = 0;
	pthread_barrier_wait(&phase);
	for (; i < WARM + c->each; i++)
		w->failed += c->one(w, w->first + i) != 0;
	pthread_barrier_wait(&phase);
	c->end(w);
	return NULL;
}

/* Ids differ between threads, and between runs on one data base. */
static void start(const struct crew *c, struct crew_worker *w, long number)
{
	long run = (long)(ow_clock_mono_ns() / 1000 % 1000000000);

	*w = (struct crew_worker){ .crew = c,
				   .first = run * 1000000000 +
					    (number + 1) * 10000000,
				   .account = OWN + 2 * number };
	pthread_create(&w->thread, NULL, work, w);
}

int crew_run(const struct crew *c)
{
	static struct crew_worker workers[CREW_MAX];
	double all = (double)(c->threads * c->each), took;
	uint64_t begun, commit_ns = 0;
	long i, failed = 0;

	pthread_barrier_init(&phase, NULL, (unsigned int)c->threads + 1);
	for (i = 0; i < c->threads; i++)
		start(c, &workers[i], i);
	pthread_barrier_wait(&phase);
	begun = ow_clock_mono_ns();
	pthread_barrier_wait(&phase);
	took = (double)(ow_clock_mono_ns() - begun);
	for (i = 0; i < c->threads; i++) {
		pthread_join(workers[i].thread, NULL);
		failed += workers[i].failed;
		commit_ns += workers[i].commit_ns;
	}
	printf("{\"failed\":%ld,\"per_s\":%.0f,\"us\":%.1f,\"commit_us\":%.1f}\n",
	       failed, all * 1e9 / took,
	       took * (double)c->threads / 1e3 / all,
	       (double)commit_ns / 1e3 / all);
	return 0;
}
