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

/* How long the threads of this process, ready to run, have waited for a CPU so far,
 * all together: each may have waited for the next. */
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

static void *watch(void *ledger)
{
	const struct timespec nap = { .tv_nsec = SAMPLE_MS * 1000000 };
	uint64_t n;

	for (;; nanosleep(&nap, NULL)) {
		n = atomic_load(&nsamples);
		atomic_store(&samples[n % SAMPLES].at_ms, ow_ledger_ms(ledger));
		atomic_store(&samples[n % SAMPLES].waited_ms, read_waited_ms());
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

/* From the last sample before `ms`. The kernel counts a wait when it is over, so
 * samples say nothing of a part of it. A thread that has ended takes its time
 * along. */
uint32_t ledger_waited(uint32_t ms)
{
	uint64_t i, n = atomic_load(&nsamples);
	uint32_t now = read_waited_ms(), then;

	for (i = n; i > 0 && i + SAMPLES > n; i--)
		if (atomic_load(&samples[(i - 1) % SAMPLES].at_ms) <= ms)
			break;
	if (i == 0 || i + SAMPLES <= n)
		return now;
	then = atomic_load(&samples[(i - 1) % SAMPLES].waited_ms);
	return now > then ? now - then : 0;
}
