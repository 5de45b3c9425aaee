/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew.h - threads that make transactions one after the other, and their times
 */
#ifndef OW_BENCH_CREW_H
#define OW_BENCH_CREW_H

#include <pthread.h>
#include <stdint.h>

#define CREW_MAX 64

struct crew;

struct crew_worker {
	const struct crew *crew;
	pthread_t thread;
	long first;	    /* id of its first transaction */
	long account;	    /* this one and the next are its own */
	long failed;	    /* transactions */
	uint64_t commit_ns; /* of all commits; one() adds to it */
	void *own;	    /* of begin() */
};

struct crew {
	long threads; /* 1 to CREW_MAX */
	long each;    /* transactions of a thread that are measured */
	void (*begin)(struct crew_worker *w); /* NULL: nothing */
	int (*one)(struct crew_worker *w, long id); /* 0: it was committed */
	void (*end)(struct crew_worker *w);
};

/* Run them, and print one JSON object: how many failed; transactions a second;
 * microseconds of a transaction and of its commit. The exit status. */
int crew_run(const struct crew *crew);

#endif
