/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chaos.c - call BALANCE while servers are killed or stopped
 *
 *	chaos [-m kill|busy|stop] [-n CALLS] [-t THREADS] [-w SERVERS] [-i MS]
 *
 * Every MS milliseconds (50) a server, chosen at random, gets SIGKILL (busy:
 * one that has a request in hand), or SIGSTOP and 200 ms later SIGCONT. Each
 * call must end with the right answer or a definite error. At the end all
 * servers must be back, and the tables, the queue and the block store must be
 * as clean as at the start. Only servers of the domain of the environment are
 * hit. The result is one JSON object on standard output; exit status 0 if all
 * this was true.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <atmi.h>

#include "bench/census.h"
#include "bench/enquiry.h"
#include "bench/hist.h"
#include "bench/hitter.h"
#include "bench/order.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/join.h"

#define THREADS_MAX 1000
#define SETTLE_NS   (UINT64_C(30) * OW_NS_PER_SEC)
#define LATE_NS	    (100 * OW_NS_PER_MS) /* for the error after a kill */

struct plan {
	enum ow_hit hit;
	long calls, threads, servers, every_ms;
};

struct caller {
	const struct plan *plan;
	const struct ow_hitter *hitter;
	pthread_t thread;
	long id, calls;
	uint64_t errors[TPMAXVAL + 1]; /* by tperrno */
	uint64_t wrong, late;
	uint64_t error_max_ns, told_max_ns; /* since the call, the kill */
	struct ow_hist hist;
	atomic_bool done; /* has made all its calls */
};

struct chaos {
	struct plan plan;
	struct ow_domain *d;
	struct caller *callers;
	struct ow_hitter hitter;
	char why[256]; /* what was not clean; "": nothing */
};

/* The kill that the error tells of came during the call: at the earliest it was
 * the first one since it began. */
static uint64_t since_kill(const struct caller *c, uint64_t took)
{
	uint64_t now = ow_clock_mono_ns();
	uint64_t hit = ow_hitter_first_since(c->hitter, now - took);

	return hit != 0 && hit < now ? now - hit : 0;
}

static void count_error(struct caller *c, int e, uint64_t took)
{
	uint64_t told = since_kill(c, took);

	if (told > c->told_max_ns)
		c->told_max_ns = told;
	c->errors[e >= 0 && e <= TPMAXVAL ? e : TPESYSTEM]++;
	c->late += took > LATE_NS;
	if (took > c->error_max_ns)
		c->error_max_ns = took;
}

static void call_once(struct caller *c, UBFH **ub, long number)
{
	uint64_t start, took;
	int r;

	if (ow_enquiry_set(*ub, number) != 0) {
		c->wrong++;
		return;
	}
	start = ow_clock_mono_ns();
	r = ow_enquiry_ask(ub, number);
	took = ow_clock_mono_ns() - start;
	ow_hist_add(&c->hist, took);
	if (r == OW_ENQUIRY_FAILED)
		count_error(c, tperrno, took);
	else if (r == OW_ENQUIRY_WRONG)
		c->wrong++;
}

static void *call_all(void *arg)
{
	struct caller *c = arg;
	UBFH *ub = ow_enquiry_new(c->id);
	long i;

	for (i = 0; ub != NULL && i < c->calls; i++)
		call_once(c, &ub, c->id * 100000000 + i);
	if (ub == NULL)
		c->wrong++;
	tpfree((char *)ub);
	tpterm();
	atomic_store(&c->done, true);
	return NULL;
}

static int start_callers(struct chaos *x)
{
	const struct plan *p = &x->plan;
	long i;

	x->callers = calloc((size_t)p->threads, sizeof(*x->callers));
	if (x->callers == NULL)
		return -1;
	for (i = 0; i < p->threads; i++) {
		x->callers[i].plan = p;
		x->callers[i].hitter = &x->hitter;
		x->callers[i].id = i;
		x->callers[i].calls = p->calls / p->threads;
		if (pthread_create(&x->callers[i].thread, NULL, call_all,
				   &x->callers[i]) != 0)
			return -1;
	}
	return 0;
}

static bool all_done(const struct chaos *x)
{
	long i;

	for (i = 0; i < x->plan.threads; i++)
		if (!atomic_load(&x->callers[i].done))
			return false;
	return true;
}

static void hit_servers(struct chaos *x)
{
	const struct timespec pause = {
		.tv_sec = x->plan.every_ms / 1000,
		.tv_nsec = x->plan.every_ms % 1000 * 1000000,
	};
	long i;

	while (!all_done(x)) {
		nanosleep(&pause, NULL);
		ow_hitter_strike(&x->hitter);
	}
	ow_hitter_end(&x->hitter);
	for (i = 0; i < x->plan.threads; i++)
		pthread_join(x->callers[i].thread, NULL);
}

/* Wait for restarts and sweeps: true as soon as all is in order. */
static bool settle(struct chaos *x)
{
	const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	uint64_t end = ow_clock_mono_ns() + SETTLE_NS;

	while (!ow_order_check(x->d, (size_t)x->plan.servers, x->why,
			       sizeof(x->why))) {
		if (ow_clock_mono_ns() > end)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static void gather(const struct chaos *x, struct caller *sum)
{
	const struct caller *c;
	long i;
	int e;

	for (i = 0; i < x->plan.threads; i++) {
		c = &x->callers[i];
		ow_hist_merge(&sum->hist, &c->hist);
		sum->wrong += c->wrong;
		sum->late += c->late;
		if (c->error_max_ns > sum->error_max_ns)
			sum->error_max_ns = c->error_max_ns;
		if (c->told_max_ns > sum->told_max_ns)
			sum->told_max_ns = c->told_max_ns;
		for (e = 0; e <= TPMAXVAL; e++) {
			sum->errors[e] += c->errors[e];
			sum->calls += (long)c->errors[e]; /* failed ones */
		}
	}
}

static void print_result(const struct chaos *x, const struct caller *sum,
			 double seconds, bool clean)
{
	const char *comma = "";
	int e;

	printf("{\"mode\":\"%s\",\"servers\":%ld,\"threads\":%ld,"
	       "\"calls\":%llu,\"calls_per_s\":%.0f,\"hits\":%llu,",
	       ow_hit_name(x->plan.hit), x->plan.servers,
	       x->plan.threads, (unsigned long long)sum->hist.count,
	       (double)sum->hist.count / seconds,
	       (unsigned long long)x->hitter.hits);
	printf("\"wrong\":%llu,\"failed\":%ld,\"failed_late\":%llu,"
	       "\"errors\":{", (unsigned long long)sum->wrong, sum->calls,
	       (unsigned long long)sum->late);
	for (e = 0; e <= TPMAXVAL; e++) {
		if (sum->errors[e] == 0)
			continue;
		printf("%s\"%s\":%llu", comma, tpecodestr(e),
		       (unsigned long long)sum->errors[e]);
		comma = ",";
	}
	printf("},\"p50_us\":%.1f,\"p99_us\":%.1f,\"longest_ms\":%.3f,"
	       "\"longest_error_ms\":%.3f,\"longest_told_ms\":%.3f,"
	       "\"clean\":%s,\"why\":\"%s\"}\n",
	       (double)ow_hist_quantile(&sum->hist, 0.5) / 1e3,
	       (double)ow_hist_quantile(&sum->hist, 0.99) / 1e3,
	       (double)sum->hist.max / 1e6, (double)sum->error_max_ns / 1e6,
	       (double)sum->told_max_ns / 1e6, clean ? "true" : "false",
	       x->why);
}

/* At most one call per hit may fail: the one that the server was serving. */
static bool judge(struct chaos *x, const struct caller *sum)
{
	uint64_t allowed = x->plan.hit == OW_HIT_STOP ? 0 : x->hitter.hits;

	if (!settle(x))
		return false;
	if (sum->wrong > 0)
		snprintf(x->why, sizeof(x->why), "wrong answers");
	else if ((uint64_t)sum->calls > allowed)
		snprintf(x->why, sizeof(x->why), "more errors than hits");
	else if (sum->late > 0)
		snprintf(x->why, sizeof(x->why), "errors after 100 ms");
	return x->why[0] == '\0';
}

static void parse(int argc, char **argv, struct plan *p)
{
	bool good = true;
	int c;

	while ((c = getopt(argc, argv, "m:n:t:w:i:")) != -1) {
		switch (c) {
		case 'm':
			good = good && ow_hit_parse(optarg, &p->hit) == 0;
			break;
		case 'n': p->calls = atol(optarg); break;
		case 't': p->threads = atol(optarg); break;
		case 'w': p->servers = atol(optarg); break;
		case 'i': p->every_ms = atol(optarg); break;
		default: good = false;
		}
	}
	if (good && optind == argc && p->calls > 0 && p->threads > 0 &&
	    p->threads <= THREADS_MAX && p->servers > 0 && p->every_ms > 0)
		return;
	fprintf(stderr, "usage: chaos [-m kill|busy|stop] [-n CALLS] "
			"[-t THREADS] [-w SERVERS] [-i MS]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	static struct chaos x = { .plan = { .calls = 1000000, .threads = 10,
					    .servers = 250, .every_ms = 50 } };
	static struct caller sum;
	struct ow_tables *t = NULL;
	char why[512];
	uint64_t start;
	double seconds;
	bool clean;

	parse(argc, argv, &x.plan);
	if (ow_census_attach(&t) != 0 ||
	    ow_census_await(t, (size_t)x.plan.servers) != 0 ||
	    ow_domain_join(false, &x.d, why, sizeof(why)) != 0)
		return 2;
	start = ow_clock_mono_ns();
	ow_hitter_init(&x.hitter, x.d, x.plan.hit, (uint32_t)x.plan.servers);
	if (start_callers(&x) != 0)
		return 2;
	hit_servers(&x);
	seconds = (double)(ow_clock_mono_ns() - start) / 1e9;
	gather(&x, &sum);
	clean = judge(&x, &sum);
	print_result(&x, &sum, seconds, clean);
	free(x.callers);
	return clean ? 0 : 1;
}
