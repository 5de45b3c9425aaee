/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - call one service from many threads and measure
 *
 *	load [-s SERVICE] [-n CALLS] [-t THREADS] [-z BYTES] [-w SERVERS]
 *	     [-1] [-c] [-p]
 *
 * SERVICE is BALANCE (the BANK example, each reply is checked), or any
 * other with a CARRAY of BYTES. -w: wait until SERVERS servers are ready.
 * -1: one way, tpacall() without a reply. -c: one conversation per thread; calls
 * are its messages, which the service counts. -p: "progress N" on standard error
 * five times a second. The result is one JSON object on standard output.
 * Exit status 0 when every call succeeded.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/resource.h>
#include <atmi.h>

#include "bench/census.h"
#include "bench/enquiry.h"
#include "bench/hist.h"
#include "libatmi/base/clock.h"

#define THREADS_MAX 1000

struct job {
	const char *service;
	long calls, threads, size, servers;
	bool oneway, converse, progress;
};

struct worker {
	const struct job *job;
	pthread_t thread;
	long id, calls;
	uint64_t errors[TPMAXVAL + 1]; /* by tperrno */
	uint64_t wrong;
	struct ow_hist hist;
	_Alignas(64) atomic_long done;
};

/* Sums over all workers. */
struct result {
	double seconds;
	uint64_t errors[TPMAXVAL + 1];
	uint64_t failed, wrong, switches;
	struct ow_hist hist;
	struct ow_census servers;
};

static void count(struct worker *w, int r, uint64_t *start)
{
	uint64_t now = ow_clock_mono_ns();
	int e = tperrno;

	ow_hist_add(&w->hist, now - *start);
	*start = now;
	if (r == OW_ENQUIRY_FAILED)
		w->errors[e >= 0 && e <= TPMAXVAL ? e : TPESYSTEM]++;
	else if (r == OW_ENQUIRY_WRONG)
		w->wrong++;
	atomic_store_explicit(&w->done, w->done + 1, memory_order_relaxed);
}

static void call_bank(struct worker *w)
{
	long account = w->id + 1, i;
	UBFH *ub = ow_enquiry_new(account);
	uint64_t start = ow_clock_mono_ns();

	if (ub == NULL) {
		w->wrong = (uint64_t)w->calls;
		return;
	}
	for (i = 0; i < w->calls; i++)
		count(w, ow_enquiry_ask(&ub, account), &start);
	tpfree((char *)ub);
}

static int call_carray(struct worker *w, char **buf)
{
	char *svc = (char *)w->job->service;
	long len = 0;

	if (tpcall(svc, *buf, w->job->size, buf, &len, 0) == -1)
		return OW_ENQUIRY_FAILED;
	return len == w->job->size ? 0 : OW_ENQUIRY_WRONG;
}

static int post_carray(struct worker *w, char *buf)
{
	char *svc = (char *)w->job->service;

	if (tpacall(svc, buf, w->job->size, TPNOREPLY) == -1)
		return OW_ENQUIRY_FAILED;
	return 0;
}

/* Send the messages of a conversation; the service returns their number. */
static void converse(struct worker *w)
{
	char *svc = (char *)w->job->service;
	char *buf = tpalloc("CARRAY", NULL, w->job->size);
	int cd = tpconnect(svc, NULL, 0, TPSENDONLY);
	uint64_t start = ow_clock_mono_ns();
	long i, len = 0, event = 0;

	if (buf == NULL || cd == -1) {
		w->wrong = (uint64_t)w->calls;
		return;
	}
	memset(buf, 7, (size_t)w->job->size);
	for (i = 0; i < w->calls; i++)
		count(w, tpsend(cd, buf, w->job->size,
				i == w->calls - 1 ? TPRECVONLY : 0,
				&event) == -1 ? OW_ENQUIRY_FAILED : 0,
		      &start);
	tprecv(cd, &buf, &len, TPNOTIME, &event);
	if (event != TPEV_SVCSUCC || tpurcode != w->calls)
		w->wrong++;
	tpfree(buf);
}

static void call_other(struct worker *w)
{
	char *buf = tpalloc("CARRAY", NULL, w->job->size);
	uint64_t start = ow_clock_mono_ns();
	long i;

	if (buf == NULL) {
		w->wrong = (uint64_t)w->calls;
		return;
	}
	memset(buf, 7, (size_t)w->job->size);
	for (i = 0; i < w->calls; i++)
		count(w, w->job->oneway ? post_carray(w, buf) :
					  call_carray(w, &buf), &start);
	if (w->job->oneway) /* its reply shows that the queue is empty */
		call_carray(w, &buf);
	tpfree(buf);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	if (strcmp(w->job->service, "BALANCE") == 0)
		call_bank(w);
	else if (w->job->converse)
		converse(w);
	else
		call_other(w);
	tpterm();
	return NULL;
}

/* Wait for the end of `w`; print the progress of all meanwhile. */
static void join(struct worker *all, const struct job *job, long which)
{
	struct timespec until;
	long i, done;

	for (;;) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 200 * 1000 * 1000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_timedjoin_np(all[which].thread, NULL, &until) == 0)
			return;
		for (i = 0, done = 0; job->progress && i < job->threads; i++)
			done += atomic_load(&all[i].done);
		if (job->progress)
			fprintf(stderr, "progress %ld\n", done);
	}
}

static void run_workers(struct worker *all, const struct job *job,
			struct result *res)
{
	uint64_t start = ow_clock_mono_ns();
	long i;
	int e;

	for (i = 0; i < job->threads; i++) {
		all[i].job = job;
		all[i].id = i;
		all[i].calls = job->calls / job->threads +
			       (i < job->calls % job->threads);
		if (pthread_create(&all[i].thread, NULL, work, &all[i]) != 0) {
			perror("load: thread");
			exit(2);
		}
	}
	for (i = 0; i < job->threads; i++)
		join(all, job, i);
	res->seconds = (double)(ow_clock_mono_ns() - start) / 1e9;
	for (i = 0; i < job->threads; i++) {
		ow_hist_merge(&res->hist, &all[i].hist);
		res->wrong += all[i].wrong;
		for (e = 0; e <= TPMAXVAL; e++)
			res->errors[e] += all[i].errors[e];
	}
	for (e = 0; e <= TPMAXVAL; e++)
		res->failed += res->errors[e];
}

static uint64_t own_switches(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (uint64_t)(ru.ru_nvcsw + ru.ru_nivcsw);
}

/* Run it between two counts of the servers. */
static int measure(struct worker *all, const struct job *job,
		   struct result *res)
{
	struct ow_census before = { 0 };
	struct ow_tables *t = NULL;
	uint64_t own;

	if (ow_census_attach(&t) != 0 ||
	    ow_census_await(t, (size_t)job->servers) != 0 ||
	    ow_census_take(t, &before) != 0)
		return -1;
	own = own_switches();
	run_workers(all, job, res);
	res->switches = own_switches() - own;
	if (ow_census_take(t, &res->servers) != 0)
		return -1;
	ow_census_subtract(&res->servers, &before);
	ow_census_free(&before);
	return 0;
}

static void print_errors(const struct result *res)
{
	const char *comma = "";
	int e;

	printf("\"wrong\":%llu,\"failed\":%llu,\"errors\":{",
	       (unsigned long long)res->wrong, (unsigned long long)res->failed);
	for (e = 0; e <= TPMAXVAL; e++) {
		if (res->errors[e] == 0)
			continue;
		printf("%s\"%s\":%llu", comma, tpecodestr(e),
		       (unsigned long long)res->errors[e]);
		comma = ",";
	}
	printf("},");
}

static void print_result(const struct job *job, const struct result *res)
{
	double n = (double)job->calls, switches = (double)res->switches;
	uint64_t wakeups = 0;
	size_t i;

	for (i = 0; i < res->servers.n; i++) {
		switches += (double)res->servers.server[i].switches;
		wakeups += res->servers.server[i].wakeups;
	}
	printf("{\"calls\":%ld,\"threads\":%ld,\"seconds\":%.6f,"
	       "\"calls_per_s\":%.0f,", job->calls, job->threads,
	       res->seconds, n / res->seconds);
	printf("\"p50_us\":%.2f,\"p99_us\":%.2f,\"max_us\":%.2f,",
	       (double)ow_hist_quantile(&res->hist, 0.50) / 1e3,
	       (double)ow_hist_quantile(&res->hist, 0.99) / 1e3,
	       (double)res->hist.max / 1e3);
	printf("\"ctx_switches_per_call\":%.3f,\"wakeups_per_call\":%.3f,",
	       switches / n, (double)wakeups / n);
	print_errors(res);
	printf("\"servers\":%zu,\"spread\":[", res->servers.n);
	for (i = 0; i < res->servers.n; i++)
		printf("%s%llu", i == 0 ? "" : ",",
		       (unsigned long long)res->servers.server[i].calls);
	printf("]}\n");
}

static void usage(void)
{
	fprintf(stderr, "usage: load [-s SERVICE] [-n CALLS] [-t THREADS] "
			"[-z BYTES] [-w SERVERS] [-1] [-c] [-p]\n");
	exit(2);
}

static void parse(int argc, char **argv, struct job *job)
{
	int c;

	while ((c = getopt(argc, argv, "s:n:t:z:w:1cp")) != -1) {
		switch (c) {
		case 's': job->service = optarg; break;
		case 'n': job->calls = atol(optarg); break;
		case 't': job->threads = atol(optarg); break;
		case 'z': job->size = atol(optarg); break;
		case 'w': job->servers = atol(optarg); break;
		case '1': job->oneway = true; break;
		case 'c': job->converse = true; break;
		case 'p': job->progress = true; break;
		default: usage();
		}
	}
	if (optind < argc || job->calls < 1 || job->size < 1 ||
	    job->servers < 0 || job->threads < 1 || job->threads > THREADS_MAX)
		usage();
}

int main(int argc, char **argv)
{
	struct job job = { .service = "BALANCE", .calls = 100000,
			   .threads = 10, .size = 200, .servers = 1 };
	static struct result res;
	struct worker *all;
	int r;

	parse(argc, argv, &job);
	all = aligned_alloc(64, (size_t)job.threads * sizeof(*all));
	if (all == NULL)
		return 2;
	memset(all, 0, (size_t)job.threads * sizeof(*all));
	r = measure(all, &job, &res);
	if (r == 0)
		print_result(&job, &res);
	ow_census_free(&res.servers);
	free(all);
	return r != 0 ? 2 : res.failed + res.wrong > 0;
}
