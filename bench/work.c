/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - services of a known length, and callers that measure them */
#include "bench/work.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/hist.h"

enum part { WHOLE, TO, OVER, BACK, FIRST, PARTS };

static const char *const part_name[PARTS] = {
	[WHOLE] = "", [TO] = "to_", [OVER] = "over_", [BACK] = "back_",
	[FIRST] = "first_",
};

struct worker {
	const struct work_crowd *crowd;
	pthread_barrier_t *begin;
	pthread_t thread;
	long id;
	unsigned int seed;
	uint64_t calls, failed;
	struct ow_hist hist[PARTS];
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

bool work_known(const char *kind)
{
	return strcmp(kind, "net") == 0 || strcmp(kind, "mixed") == 0 ||
	       (strncmp(kind, "burn", 4) == 0 && atol(kind + 4) > 0) ||
	       (strncmp(kind, "sleep", 5) == 0 && atol(kind + 5) > 0);
}

/* The next order; false: its time is not reported. */
static bool draw(const char *kind, unsigned int *seed, struct work_order *o)
{
	memset(o, 0, sizeof(*o));
	if (strncmp(kind, "sleep", 5) == 0)
		o->sleep_us = (uint32_t)atol(kind + 5);
	else if (strncmp(kind, "burn", 4) == 0)
		o->burn_us = (uint32_t)atol(kind + 4);
	else if (strcmp(kind, "net") == 0)
		o->sleep_us = 200 + (uint32_t)rand_r(seed) % 4800;
	else if (rand_r(seed) % 100 != 0)
		o->burn_us = 10;
	else
		o->sleep_us = 50000;
	return o->sleep_us < 50000;
}

void work_do(struct work_order *o)
{
	struct timespec nap = { .tv_sec = o->sleep_us / 1000000,
				.tv_nsec = o->sleep_us % 1000000 * 1000 };
	uint64_t until;

	o->begun_ns = now_ns();
	until = o->begun_ns + (uint64_t)o->burn_us * 1000;
	if (o->sleep_us > 0)
		nanosleep(&nap, NULL);
	while (o->burn_us > 0 && now_ns() < until)
		;
	o->ended_ns = now_ns();
}

static void add(struct worker *w, const struct work_order *o, uint64_t end)
{
	uint64_t asked = ((uint64_t)o->sleep_us + o->burn_us) * 1000;
	uint64_t lasted = o->ended_ns - o->begun_ns;

	ow_hist_add(&w->hist[WHOLE], end - o->sent_ns);
	ow_hist_add(&w->hist[TO], o->begun_ns - o->sent_ns);
	ow_hist_add(&w->hist[OVER], lasted > asked ? lasted - asked : 0);
	ow_hist_add(&w->hist[BACK], end - o->ended_ns);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	const struct work_crowd *crowd = w->crowd;
	struct work_order o = { .sent_ns = now_ns() };
	uint64_t end, until;
	bool reported;

	w->failed = crowd->call(crowd->self, w->id, &o) != 0;
	ow_hist_add(&w->hist[FIRST], now_ns() - o.sent_ns);
	pthread_barrier_wait(w->begin);
	until = now_ns() + (uint64_t)(crowd->seconds * 1e9);
	do {
		reported = draw(crowd->kind, &w->seed, &o);
		o.sent_ns = now_ns();
		if (crowd->call(crowd->self, w->id, &o) != 0)
			w->failed++;
		end = now_ns();
		w->calls++;
		if (reported && o.ended_ns != 0)
			add(w, &o, end);
	} while (end < until);
	if (crowd->leave != NULL)
		crowd->leave(crowd->self, w->id);
	return NULL;
}

static void print(const struct work_crowd *crowd, const struct worker *sum,
		  double seconds)
{
	const struct ow_hist *h;
	int p;

	printf("{\"work\":\"%s\",\"threads\":%ld,\"seconds\":%.3f,"
	       "\"calls\":%llu,\"failed\":%llu,\"calls_per_s\":%.0f",
	       crowd->kind, crowd->threads, seconds,
	       (unsigned long long)sum->calls, (unsigned long long)sum->failed,
	       (double)sum->calls / seconds);
	for (p = 0; p < PARTS; p++) {
		h = &sum->hist[p];
		printf(",\"%sp50_us\":%.1f,\"%sp99_us\":%.1f,"
		       "\"%sp999_us\":%.1f,\"%smax_us\":%.1f",
		       part_name[p], (double)ow_hist_quantile(h, 0.5) / 1e3,
		       part_name[p], (double)ow_hist_quantile(h, 0.99) / 1e3,
		       part_name[p], (double)ow_hist_quantile(h, 0.999) / 1e3,
		       part_name[p], (double)h->max / 1e3);
	}
	printf("}\n");
}

int work_run(const struct work_crowd *crowd)
{
	long n = crowd->threads, i;
	struct worker *all = calloc((size_t)n, sizeof(*all));
	struct worker *sum = calloc(1, sizeof(*sum));
	pthread_barrier_t begin;
	uint64_t start;
	int p;

	if (all == NULL || sum == NULL ||
	    pthread_barrier_init(&begin, NULL, (unsigned int)n + 1) != 0)
		return 2;
	for (i = 0; i < n; i++) {
		all[i].crowd = crowd;
		all[i].begin = &begin;
		all[i].id = i;
		all[i].seed = (unsigned int)i + 1;
		if (pthread_create(&all[i].thread, NULL, work, &all[i]) != 0) {
			perror("thread");
			exit(2);
		}
	}
	pthread_barrier_wait(&begin);
	start = now_ns();
	for (i = 0; i < n; i++) {
		pthread_join(all[i].thread, NULL);
		sum->calls += all[i].calls;
		sum->failed += all[i].failed;
		for (p = 0; p < PARTS; p++)
			ow_hist_merge(&sum->hist[p], &all[i].hist[p]);
	}
	print(crowd, sum, (double)(now_ns() - start) / 1e9);
	i = sum->failed > 0;
	pthread_barrier_destroy(&begin);
	free(all);
	free(sum);
	return (int)i;
}
