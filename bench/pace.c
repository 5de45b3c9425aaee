/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pace.c - latency of calls that arrive at scheduled times
 *
 *	pace [-s SERVICE] [-z BYTES] [-t THREADS] [-w SERVERS] [-d SECONDS]
 *	     [-r RATE] [-k US] [-p PERCENT]...
 *
 * First the saturation rate: THREADS that call without a pause (-r: RATE calls
 * a second are taken for it, and not measured). Then, for
 * each PERCENT of that rate, calls at random moments (independent arrivals:
 * exponential gaps) that are fixed in advance. The next free thread takes the
 * next call of the schedule, and its time counts from the moment at which it
 * was due, also when no thread was free then: a slow reply does not remove the
 * calls behind it from the figures (no coordinated omission).
 * `lag_*` is how late calls were sent: the share of the caller's own timer
 * and CPU in the figures. `call_*` is the rest, from sending to the reply.
 * One JSON object per line.
 *
 * -k: the generator proves itself. Instead of calls the threads compute for
 * random times, exponentially distributed, US microseconds in the mean: of
 * `call_*` the median has to be 0.69 of that, the 99th percentile 4.6.
 */
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <atmi.h>

#include "bench/census.h"
#include "bench/enquiry.h"
#include "bench/hist.h"
#include "libatmi/base/clock.h"

#define THREADS_MAX  1000
#define PERCENTS_MAX 16
#define CALLS_MAX    20000000.0
#define GAP_NS	     (5 * OW_NS_PER_MS) /* until all threads sleep */

struct job {
	const char *service;
	long size, threads, servers;
	double known_us; /* -k; 0: call */
	double seconds;
	double rate; /* 0: measure the saturation rate */
	double percent[PERCENTS_MAX];
	int npercents;
};

/* The schedule; the next free thread takes the next call. */
struct schedule {
	uint64_t *due; /* ns after `start`; NULL: all at once */
	uint64_t start;
	uint64_t span; /* no call begins after this; 0: no limit */
	long calls;
	pthread_barrier_t ready, go; /* `start` is set in between */
	_Alignas(64) atomic_long next;
};

struct caller {
	const struct job *job;
	struct schedule *todo;
	pthread_t thread;
	long id;
	uint64_t failed;
	uint64_t end; /* of its last call */
	struct ow_hist took, lag, call;
	uint64_t random;
	UBFH *ub;   /* BALANCE */
	char *data; /* any other */
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "pace: %s\n", what);
	exit(2);
}

/* ---- calling ---- */

static void make_buffer(struct caller *c)
{
	if (strcmp(c->job->service, "BALANCE") == 0) {
		c->ub = ow_enquiry_new(c->id + 1);
	} else {
		c->data = tpalloc("CARRAY", NULL, c->job->size);
		if (c->data != NULL)
			memset(c->data, 7, (size_t)c->job->size);
	}
	if (c->ub == NULL && c->data == NULL)
		fail(tpstrerror(tperrno));
}

/* The next random time, exponentially distributed with this mean. */
static double next_gap(uint64_t *x, double mean)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return -mean * log(((double)(*x >> 11) + 1) / 9007199254740993.0);
}

static void compute(struct caller *c)
{
	uint64_t ns = (uint64_t)(1e3 * next_gap(&c->random,
						c->job->known_us));
	uint64_t end = ow_clock_mono_ns() + ns;

	while (ow_clock_mono_ns() < end)
		;
}

static void call(struct caller *c)
{
	long len = 0;
	bool good;

	if (c->job->known_us > 0) {
		compute(c);
		return;
	}
	if (c->ub != NULL)
		good = ow_enquiry_ask(&c->ub, c->id + 1) == 0;
	else
		good = tpcall((char *)c->job->service, c->data, c->job->size,
			      &c->data, &len, 0) != -1 && len == c->job->size;
	c->failed += !good;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(ns / OW_NS_PER_SEC),
		.tv_nsec = (long)(ns % OW_NS_PER_SEC),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

/* Wait until call `i` is due: that time. */
static uint64_t await(struct caller *c, long i)
{
	uint64_t now = ow_clock_mono_ns(), due;

	if (c->todo->due == NULL)
		return now;
	due = c->todo->start + c->todo->due[i];
	if (due > now)
		sleep_until(due);
	return due;
}

static void *work(void *arg)
{
	struct caller *c = arg;
	uint64_t due, sent;
	long i;

	prctl(PR_SET_TIMERSLACK, 1);
	c->random = UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)c->id;
	if (c->job->known_us <= 0)
		make_buffer(c);
	call(c); /* opens the resources of a first call; not counted */
	pthread_barrier_wait(&c->todo->ready);
	pthread_barrier_wait(&c->todo->go);
	sleep_until(c->todo->start);
	while ((i = atomic_fetch_add(&c->todo->next, 1)) < c->todo->calls) {
		due = await(c, i);
		if (c->todo->span != 0 && due - c->todo->start > c->todo->span)
			break;
		sent = ow_clock_mono_ns();
		ow_hist_add(&c->lag, sent - due);
		call(c);
		c->end = ow_clock_mono_ns();
		ow_hist_add(&c->call, c->end - sent);
		ow_hist_add(&c->took, c->end - due);
	}
	if (c->job->known_us > 0)
		return NULL;
	tpfree((char *)c->ub);
	tpfree(c->data);
	tpterm();
	return NULL;
}

/* ---- one step: all threads work through a schedule ---- */

struct step {
	double seconds;
	uint64_t failed;
	struct ow_hist took, lag, call;
};

static void start_callers(const struct job *j, struct schedule *todo,
			  struct caller *all)
{
	unsigned int parties = (unsigned int)j->threads + 1;
	struct caller *c;

	pthread_barrier_init(&todo->ready, NULL, parties);
	pthread_barrier_init(&todo->go, NULL, parties);
	for (c = all; c < all + j->threads; c++) {
		c->job = j;
		c->todo = todo;
		c->id = c - all;
		if (pthread_create(&c->thread, NULL, work, c) != 0)
			fail("no thread");
	}
	pthread_barrier_wait(&todo->ready);
	todo->start = ow_clock_mono_ns() + GAP_NS;
	pthread_barrier_wait(&todo->go);
}

static void run_step(const struct job *j, struct schedule *todo,
		     struct step *ret)
{
	struct caller *all = calloc((size_t)j->threads, sizeof(*all)), *c;
	uint64_t end = 0;

	if (all == NULL)
		fail("no memory");
	memset(ret, 0, sizeof(*ret));
	start_callers(j, todo, all);
	for (c = all; c < all + j->threads; c++) {
		pthread_join(c->thread, NULL);
		if (c->end > end)
			end = c->end;
		ow_hist_merge(&ret->took, &c->took);
		ow_hist_merge(&ret->lag, &c->lag);
		ow_hist_merge(&ret->call, &c->call);
		ret->failed += c->failed;
	}
	ret->seconds = (double)(end - todo->start) / 1e9;
	pthread_barrier_destroy(&todo->ready);
	pthread_barrier_destroy(&todo->go);
	free(all);
}

/* Calls per second without pauses. */
static double saturate(const struct job *j, struct step *s)
{
	struct schedule todo = { .calls = LONG_MAX / 2,
				 .span = (uint64_t)(j->seconds * 1e9) };

	run_step(j, &todo, s);
	return (double)s->took.count / s->seconds;
}

/* Independent arrivals, the same in each run. */
static uint64_t *make_arrivals(long calls, double rate)
{
	uint64_t *due = malloc((size_t)calls * sizeof(*due));
	uint64_t x = UINT64_C(0x9e3779b97f4a7c15);
	double t = 0;
	long i;

	if (due == NULL)
		fail("no memory");
	for (i = 0; i < calls; i++) {
		t += next_gap(&x, 1 / rate);
		due[i] = (uint64_t)(t * 1e9);
	}
	return due;
}

static void print_step(const struct job *j, double percent, double rate,
		       const struct step *s)
{
	printf("{\"service\":\"%s\",\"threads\":%ld,\"percent\":%g,"
	       "\"wanted_per_s\":%.0f,\"calls_per_s\":%.0f,\"calls\":%llu,"
	       "\"failed\":%llu,", j->service, j->threads, percent, rate,
	       (double)s->took.count / s->seconds,
	       (unsigned long long)s->took.count,
	       (unsigned long long)s->failed);
	printf("\"p50_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,"
	       "\"max_us\":%.1f,\"lag_p50_us\":%.1f,\"lag_p99_us\":%.1f,"
	       "\"call_p50_us\":%.1f,\"call_p99_us\":%.1f,"
	       "\"call_p999_us\":%.1f}\n",
	       (double)ow_hist_quantile(&s->took, 0.5) / 1e3,
	       (double)ow_hist_quantile(&s->took, 0.99) / 1e3,
	       (double)ow_hist_quantile(&s->took, 0.999) / 1e3,
	       (double)s->took.max / 1e3,
	       (double)ow_hist_quantile(&s->lag, 0.5) / 1e3,
	       (double)ow_hist_quantile(&s->lag, 0.99) / 1e3,
	       (double)ow_hist_quantile(&s->call, 0.5) / 1e3,
	       (double)ow_hist_quantile(&s->call, 0.99) / 1e3,
	       (double)ow_hist_quantile(&s->call, 0.999) / 1e3);
	fflush(stdout);
}

/* All steps; returns the number of failed calls. */
static uint64_t run(const struct job *j)
{
	static struct step s;
	double full = j->rate, rate;
	uint64_t failed = 0;
	int i;

	if (full <= 0) {
		full = saturate(j, &s);
		failed = s.failed;
		print_step(j, 0, full, &s);
	}
	for (i = 0; i < j->npercents; i++) {
		struct schedule todo = { .calls = 0 };

		rate = full * j->percent[i] / 100;
		todo.calls = (long)fmin(rate * j->seconds + 1, CALLS_MAX);
		todo.due = make_arrivals(todo.calls, rate);
		run_step(j, &todo, &s);
		free(todo.due);
		print_step(j, j->percent[i], rate, &s);
		failed += s.failed;
	}
	return failed;
}

static void usage(void)
{
	fprintf(stderr, "usage: pace [-s SERVICE] [-z BYTES] [-t THREADS] "
			"[-w SERVERS] [-d SECONDS] [-r RATE] [-k US] "
			"[-p PERCENT]...\n");
	exit(2);
}

static void add_percent(struct job *j, const char *text)
{
	double p = atof(text);

	if (j->npercents == PERCENTS_MAX || p <= 0 || p > 200)
		usage();
	j->percent[j->npercents++] = p;
}

static void parse(int argc, char **argv, struct job *j)
{
	int c;

	while ((c = getopt(argc, argv, "s:z:t:w:d:r:k:p:")) != -1) {
		switch (c) {
		case 's': j->service = optarg; break;
		case 'z': j->size = atol(optarg); break;
		case 't': j->threads = atol(optarg); break;
		case 'w': j->servers = atol(optarg); break;
		case 'd': j->seconds = atof(optarg); break;
		case 'r': j->rate = atof(optarg); break;
		case 'k': j->known_us = atof(optarg); break;
		case 'p': add_percent(j, optarg); break;
		default: usage();
		}
	}
	if (optind < argc || j->size < 1 || j->servers < 0 ||
	    j->seconds <= 0 || j->threads < 1 || j->threads > THREADS_MAX)
		usage();
}

int main(int argc, char **argv)
{
	struct job job = { .service = "BALANCE", .size = 200, .threads = 10,
			   .servers = 1, .seconds = 2 };
	struct ow_tables *t = NULL;

	parse(argc, argv, &job);
	if (job.known_us <= 0 &&
	    (ow_census_attach(&t) != 0 ||
	     ow_census_await(t, (size_t)job.servers) != 0))
		return 2;
	return run(&job) > 0;
}
