/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loopcl.c - clients that wait for replies by a descriptor, with many calls out
 *
 *	loopcl many N SVC	N calls out in one context, then their replies
 *	loopcl storm THREADS CALLS WINDOW MS SVC...
 *		each thread has a context of its own and makes CALLS calls, of
 *		the services in turn, WINDOW of them out at once; every 7th is
 *		a tpcall(). MS: it waits so long at the most, and nothing may
 *		come later; 0: as long as tpreplytimeout() says.
 *
 * storm prints one line, as an error: calls that succeeded, calls that failed, waits that
 * ended without a readable descriptor, and the longest call in ms.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <tpbind.h>
#include <unistd.h>
#include <xatmi.h>

#define CD_MAX 16384

static struct {
	int calls, window, ms, n_svc;
	char **svc;
} how;
static atomic_long good, bad, vain, longest;

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void fail(const char *what)
{
	printf("%s: %s\n", what, tpstrerror(tperrno));
	exit(1);
}

static char *text(long n)
{
	char *p = tpalloc("STRING", NULL, 200);

	if (p == NULL)
		fail("tpalloc");
	snprintf(p, 200, "number %ld", n);
	return p;
}

/* ---- many ---- */

/* Fetch what is there; returns how many. */
static int fetch_all(char **got)
{
	int cd, n = 0;
	long len;

	while (tpgetrply(&cd, got, &len, TPGETANY | TPNOBLOCK) == 0)
		n++;
	if (tperrno != TPEBLOCK)
		fail("tpgetrply");
	return n;
}

static int many(int n, char *svc)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int i, looks = 0, got = 0, ep = epoll_create1(0), fd = tpreplyfd();
	char *data = text(0), *reply = NULL;

	if (fd < 0)
		fail("tpreplyfd");
	if (epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev) < 0)
		return 1;
	for (i = 0; i < n; i++)
		if (tpacall(svc, data, 0, 0) < 0)
			fail("tpacall");
	for (; got < n; looks++) {
		if (epoll_wait(ep, &ev, 1, 10000) != 1) {
			printf("%d of %d, then nothing\n", got, n);
			return 1;
		}
		got += fetch_all(&reply);
	}
	printf("%d replies, then %d\n", got, epoll_wait(ep, &ev, 1, 50));
	return looks > 0 ? 0 : 1;
}

/* ---- storm ---- */

struct caller {
	int fd, out, begun;
	long at[CD_MAX]; /* when the call of a descriptor began */
};

static void took(long began)
{
	long ms = now_ms() - began, was = atomic_load(&longest);

	while (ms > was && !atomic_compare_exchange_weak(&longest, &was, ms))
		;
}

static void begin_one(struct caller *k, char *data)
{
	char *svc = how.svc[k->begun % how.n_svc], *reply = NULL;
	long len, began = now_ms();
	int r;

	k->begun++;
	if (k->begun % 7 == 0) {
		r = tpcall(svc, data, 0, &reply, &len, 0);
		atomic_fetch_add(r == 0 ? &good : &bad, 1);
		tpfree(reply);
		took(began);
		return;
	}
	r = tpacall(svc, data, 0, 0);
	if (r < 0) {
		atomic_fetch_add(&bad, 1);
		return;
	}
	k->at[r] = began;
	k->out++;
}

/* Fetch what is there: how many calls have ended. */
static int look(struct caller *k, char **reply)
{
	int cd, r, n = 0;
	long len;

	for (;;) {
		cd = 0;
		r = tpgetrply(&cd, reply, &len, TPGETANY | TPNOBLOCK);
		if (r < 0 && tperrno == TPEBLOCK)
			return n;
		if (cd == 0)
			fail("tpgetrply");
		atomic_fetch_add(r == 0 ? &good : &bad, 1);
		took(k->at[cd]);
		k->out--;
		n++;
	}
}

static void wait_and_look(struct caller *k, char **reply)
{
	struct pollfd p = { .fd = k->fd, .events = POLLIN };
	int ms = how.ms != 0 ? how.ms : tpreplytimeout();
	int r = ms < 0 ? -1 : poll(&p, 1, ms);

	if (r < 0)
		fail("a wait");
	if (r == 0 && ms > 0)
		atomic_fetch_add(&vain, 1);
	if (look(k, reply) > 0 && r == 0 && how.ms != 0)
		fail("a reply was there, and the descriptor not readable");
}

static void *call_all(void *arg)
{
	struct caller *k = calloc(1, sizeof(*k));
	char *data = text(7), *reply = NULL;

	(void)arg;
	if (k == NULL || (k->fd = tpreplyfd()) < 0)
		fail("tpreplyfd");
	while (k->begun < how.calls || k->out > 0) {
		while (k->begun < how.calls && k->out < how.window)
			begin_one(k, data);
		if (k->out > 0)
			wait_and_look(k, &reply);
	}
	free(k);
	tpterm();
	return NULL;
}

static int storm(int threads)
{
	pthread_t t[64];
	int i;

	for (i = 0; i < threads && i < 64; i++)
		pthread_create(&t[i], NULL, call_all, NULL);
	for (i = 0; i < threads && i < 64; i++)
		pthread_join(t[i], NULL);
	fprintf(stderr, "%ld %ld %ld %ld\n", (long)good, (long)bad, (long)vain,
		(long)longest);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "many") == 0)
		return many(atoi(argv[2]), argv[3]);
	if (argc < 7 || strcmp(argv[1], "storm") != 0)
		return 2;
	how.calls = atoi(argv[3]);
	how.window = atoi(argv[4]);
	how.ms = atoi(argv[5]);
	how.svc = argv + 6;
	how.n_svc = argc - 6;
	return storm(atoi(argv[2]));
}
