/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waited.c - for how long the threads of a client, ready to run, had no CPU
 *
 * A call in another language waits for what another thread of its process holds,
 * such as the interpreter's lock. If that thread gets no CPU the call is late,
 * and nobody's fault is to be looked for.
 */
#include "waited.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define SAMPLE_MS 20
#define SAMPLES	  2048

/* How long any thread of this process, ready to run, has waited for a CPU so far:
 * a call waits for what another thread holds, too. */
static struct {
	_Atomic uint32_t at_ms, waited_ms;
} samples[SAMPLES];
static _Atomic uint64_t nsamples;

static uint64_t waited_ns_of(const char *thread)
{
	unsigned long long ran, waited = 0;
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", thread);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	if (fscanf(f, "%llu %llu", &ran, &waited) != 2)
		waited = 0;
	fclose(f);
	return waited;
}

static uint32_t read_waited_ms(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *one;
	uint64_t sum = 0;

	while (tasks != NULL && (one = readdir(tasks)) != NULL)
		if (one->d_name[0] != '.')
			sum += waited_ns_of(one->d_name);
	if (tasks != NULL)
		closedir(tasks);
	return (uint32_t)(sum / 1000000);
}

/* Of the time since the last sample, at most all. */
static void *watch(void *ledger)
{
	const struct timespec nap = { .tv_nsec = SAMPLE_MS * 1000000 };
	const struct ow_ledger *l = ledger;
	uint32_t all = 0, last = read_waited_ms(), at = ow_ledger_ms(l);
	uint32_t now, sum;
	uint64_t n;

	for (;; nanosleep(&nap, NULL)) {
		n = atomic_load(&nsamples);
		now = ow_ledger_ms(l);
		sum = read_waited_ms();
		if (sum > last) /* the time of threads that have ended is gone */
			all += sum - last < now - at ? sum - last : now - at;
		at = now;
		last = sum;
		atomic_store(&samples[n % SAMPLES].at_ms, now);
		atomic_store(&samples[n % SAMPLES].waited_ms, all);
		atomic_store(&nsamples, n + 1);
	}
	return NULL;
}

void ledger_watch_threads(struct ow_ledger *l)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, watch, l) == 0)
		pthread_detach(thread);
}

/* From the last sample before `ms` until now. If the last sample is old, the
 * thread that takes them has waited since then. */
uint32_t ledger_waited(const struct ow_ledger *l, uint32_t ms)
{
	uint64_t i, n = atomic_load(&nsamples);
	uint32_t waited, since;

	if (n == 0)
		return 0;
	since = ow_ledger_ms(l) -
		atomic_load(&samples[(n - 1) % SAMPLES].at_ms);
	waited = since > 2 * SAMPLE_MS ? since - SAMPLE_MS : 0;
	for (i = n; i > 0 && i + SAMPLES > n; i--)
		if (atomic_load(&samples[(i - 1) % SAMPLES].at_ms) <= ms)
			break;
	if (i == 0 || i + SAMPLES <= n)
		return waited;
	return waited +
	       atomic_load(&samples[(n - 1) % SAMPLES].waited_ms) -
	       atomic_load(&samples[(i - 1) % SAMPLES].waited_ms);
}
