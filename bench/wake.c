/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake.c - count wake-ups when one event comes to many waiters
 *
 *	wake [-k pipe|mqueue|queue] [-w WAY] [-n WAITERS] [-e EVENTS]
 *	     [-u MICROSECONDS]
 *
 * WAITERS processes wait; every MICROSECONDS an event comes (default: 20,000
 * events, one each 100 us), which exactly one waiter can take. -k selects epoll
 * on a pipe, epoll on a POSIX queue, or a queue of the project (with
 * NDRX_TRANSPORT and NDRX_WAKE; -w is only a label then). For epoll, -w is
 *	herd		all are woken, one gets it
 *	exclusive	EPOLLEXCLUSIVE: the kernel chooses, in fixed order
 *	balanced	the same, and a waiter that took an event leaves the
 *			epoll set and joins it again, at the end of the
 *			kernel's list, so that all get their turn: the even
 *			spread that user space can get.
 * The latency of an event is the time until a waiter has taken it. The result
 * is one JSON object on standard output.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "bench/hist.h"
#include "bench/wake.h"
#include "libatmi/base/clock.h"

#define WAITERS_MAX 10000

struct waiter {
	_Alignas(64) atomic_long taken; /* events */
	atomic_long woken;		/* returns from its wait */
	struct ow_hist late;
};

struct board { /* shared by all */
	atomic_long ready, taken;
	struct waiter waiter[];
};

struct bench {
	struct ow_wake_job job;
	const struct ow_wake_source *ops;
	void *source;
	struct board *board;
	pid_t *pids;
	uint64_t began, took;
};

static const struct ow_wake_source *const sources[] = {
	&ow_wake_pipe, &ow_wake_mqueue, &ow_wake_queue,
};

_Noreturn void ow_wake_die(const char *what)
{
	fprintf(stderr, "wake: %s: %s\n", what, strerror(errno));
	exit(1);
}

static _Noreturn void run_waiter(const struct bench *b, long id, pid_t parent)
{
	struct waiter *w = &b->board->waiter[id];
	uint64_t sent = 0;
	int r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	b->ops->open_waiter(b->source, id);
	atomic_fetch_add(&b->board->ready, 1);
	for (;;) {
		r = b->ops->wait(b->source, &sent);
		atomic_fetch_add(&w->woken, 1);
		if (r != 0)
			continue;
		ow_hist_add(&w->late, ow_clock_mono_ns() - sent);
		atomic_fetch_add(&w->taken, 1);
		atomic_fetch_add(&b->board->taken, 1);
	}
}

static void nap(long us)
{
	const struct timespec ts = { .tv_nsec = us * 1000 };

	nanosleep(&ts, NULL);
}

/* False: a waiter ended early. */
static bool all_live(const struct bench *b)
{
	return waitpid(-1, NULL, WNOHANG) <= 0;
}

static void start_waiters(struct bench *b)
{
	size_t size = sizeof(*b->board) +
		      (size_t)b->job.waiters * sizeof(struct waiter);
	pid_t self = getpid();
	long i;

	b->board = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	b->pids = calloc((size_t)b->job.waiters, sizeof(*b->pids));
	if (b->board == MAP_FAILED || b->pids == NULL)
		ow_wake_die("memory");
	for (i = 0; i < b->job.waiters; i++) {
		b->pids[i] = fork();
		if (b->pids[i] < 0)
			ow_wake_die("fork");
		if (b->pids[i] == 0)
			run_waiter(b, i, self);
	}
	while (atomic_load(&b->board->ready) < b->job.waiters) {
		if (!all_live(b)) {
			b->ops->close(b->source);
			exit(1); /* it has printed the reason */
		}
		nap(1000);
	}
	nap(50000); /* until the last ones sleep */
}

static void sleep_until(uint64_t ns)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(ns / OW_NS_PER_SEC),
		.tv_nsec = (long)(ns % OW_NS_PER_SEC),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

/* Send all events, each at its time or, if late, at once. */
static void send_events(struct bench *b)
{
	uint64_t due, gap = (uint64_t)b->job.gap_us * OW_NS_PER_US;
	uint64_t patience;
	long i;

	b->began = due = ow_clock_mono_ns();
	for (i = 0; i < b->job.events; i++, due += gap) {
		if (ow_clock_mono_ns() < due)
			sleep_until(due);
		b->ops->send(b->source, ow_clock_mono_ns());
	}
	patience = ow_clock_mono_ns() + 10 * OW_NS_PER_SEC;
	while (atomic_load(&b->board->taken) < b->job.events) {
		if (ow_clock_mono_ns() > patience)
			break; /* the result reports it */
		nap(100);
	}
	b->took = ow_clock_mono_ns() - b->began;
}

static long switches(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return ru.ru_nvcsw + ru.ru_nivcsw;
}

static void stop_waiters(struct bench *b)
{
	long i;

	for (i = 0; i < b->job.waiters; i++)
		kill(b->pids[i], SIGKILL);
	for (i = 0; i < b->job.waiters; i++)
		waitpid(b->pids[i], NULL, 0);
	free(b->pids);
}

static int by_size(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

/* Distribution of the events over the waiters. */
static void print_spread(const struct bench *b)
{
	static long taken[WAITERS_MAX];
	long i, n = b->job.waiters, used = 0;

	for (i = 0; i < n; i++) {
		taken[i] = atomic_load(&b->board->waiter[i].taken);
		used += taken[i] > 0;
	}
	qsort(taken, (size_t)n, sizeof(taken[0]), by_size);
	printf("\"waiters_used\":%ld,\"least\":%ld,\"median\":%ld,"
	       "\"most\":%ld,", used, taken[0], taken[n / 2], taken[n - 1]);
}

static void print_result(const struct bench *b, long switched)
{
	static struct ow_hist late;
	double n = (double)b->job.events;
	long i, woken = 0;

	for (i = 0; i < b->job.waiters; i++) {
		woken += atomic_load(&b->board->waiter[i].woken);
		ow_hist_merge(&late, &b->board->waiter[i].late);
	}
	printf("{\"kind\":\"%s\",\"wake\":\"%s\",\"waiters\":%ld,"
	       "\"events\":%ld,\"gap_us\":%ld,\"taken\":%ld,"
	       "\"elapsed_s\":%.3f,", b->ops->name, b->job.way,
	       b->job.waiters, b->job.events, b->job.gap_us,
	       atomic_load(&b->board->taken), (double)b->took / 1e9);
	printf("\"switches_per_event\":%.2f,\"wakeups_per_event\":%.2f,",
	       (double)switched / n, (double)woken / n);
	print_spread(b);
	printf("\"late_p50_us\":%.1f,\"late_p99_us\":%.1f}\n",
	       (double)ow_hist_quantile(&late, 0.5) / 1e3,
	       (double)ow_hist_quantile(&late, 0.99) / 1e3);
}

static void usage(void)
{
	fprintf(stderr,
		"usage: wake [-k pipe|mqueue|queue] "
		"[-w herd|exclusive|balanced] [-n WAITERS] [-e EVENTS] "
		"[-u MICROSECONDS]\n");
	exit(2);
}

static void parse(int argc, char **argv, struct bench *b)
{
	const char *kind = "pipe";
	size_t i;
	int c;

	while ((c = getopt(argc, argv, "k:w:n:e:u:")) != -1) {
		switch (c) {
		case 'k': kind = optarg; break;
		case 'w': b->job.way = optarg; break;
		case 'n': b->job.waiters = atol(optarg); break;
		case 'e': b->job.events = atol(optarg); break;
		case 'u': b->job.gap_us = atol(optarg); break;
		default: usage();
		}
	}
	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (strcmp(kind, sources[i]->name) == 0)
			b->ops = sources[i];
	if (b->ops == NULL || optind < argc || b->job.waiters < 1 ||
	    b->job.waiters > WAITERS_MAX || b->job.events < 1 ||
	    b->job.gap_us < 1)
		usage();
}

int main(int argc, char **argv)
{
	static struct bench b = { .job = { .way = "exclusive", .waiters = 100,
					   .events = 20000, .gap_us = 100 } };
	long before;
	bool complete;

	parse(argc, argv, &b);
	prctl(PR_SET_TIMERSLACK, 1);
	b.source = b.ops->make(&b.job);
	start_waiters(&b);
	before = switches(RUSAGE_SELF);
	send_events(&b);
	before = switches(RUSAGE_SELF) - before;
	complete = atomic_load(&b.board->taken) == b.job.events;
	stop_waiters(&b);
	b.ops->close(b.source);
	print_result(&b, before + switches(RUSAGE_CHILDREN));
	return complete ? 0 : 1;
}
