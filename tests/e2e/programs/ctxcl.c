/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctxcl.c - a client with many contexts: ctxcl COMMAND [N]
 *
 * Prints one line of JSON. In each context a call sends the number of the
 * context, and its reply must have the same number.
 */
#include <oatmi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

#define THREADS	 8
#define CONTEXTS 5

static TPCONTEXT_T contexts[CONTEXTS];
static atomic_long good, refused, wrong;
static long rounds;

static char *text_of(long n)
{
	char *b = tpalloc("STRING", NULL, 32);

	snprintf(b, 32, "%ld", n);
	return b;
}

/* One call in a context that may be another thread's: 0; tperrno; 100: the
 * reply of another call. */
static int call_in(TPCONTEXT_T *context, long n)
{
	char *data = text_of(n), *out = NULL;
	long len = 0;
	int r = Otpcall(context, "ECHO", data, 0, &out, &len, 0);

	r = r < 0 ? tperrno : atol(out) == n ? 0 : 100;
	if (r == 0 || r == 100)
		tpfree(out);
	tpfree(data);
	return r;
}

static void count(int r)
{
	atomic_fetch_add(r == 0 ? &good : r == TPEPROTO ? &refused : &wrong,
			 1);
}

static int report(void)
{
	printf("{\"good\":%ld,\"refused\":%ld,\"wrong\":%ld}\n", good, refused,
	       wrong);
	return 0;
}

static void make_contexts(void)
{
	long i;

	for (i = 0; i < CONTEXTS; i++)
		contexts[i] = tpnewctxt(0, 0);
}

static void free_contexts(void)
{
	long i;

	for (i = 0; i < CONTEXTS; i++)
		tpfreectxt(contexts[i]);
}

static void run_threads(void *(*fn)(void *))
{
	pthread_t t[THREADS];
	long i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, fn, (void *)i);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

/* ---- outstanding: calls of a context are fetched by another thread ---- */

static int cds[CONTEXTS];

static void *fetches(void *arg)
{
	char *out = NULL;
	long i, len = 0;

	for (i = CONTEXTS; i-- > 0;) {
		if (tpsetctxt(contexts[i], 0) != 0 ||
		    tpgetrply(&cds[i], &out, &len, 0) != 0)
			count(tperrno);
		else
			count(atol(out) == i ? 0 : 100);
	}
	return arg;
}

static int outstanding(void)
{
	pthread_t t;
	char *data;
	long i;

	for (i = 0; i < CONTEXTS; i++) {
		data = text_of(i);
		cds[i] = tpacall("ECHO", data, 0, 0);
		tpfree(data);
		if (tpgetctxt(&contexts[i], 0) != TPMULTICONTEXTS)
			atomic_fetch_add(&wrong, 1);
	}
	pthread_create(&t, NULL, fetches, NULL);
	pthread_join(t, NULL);
	/* The last one went with the thread. */
	for (i = 1; i < CONTEXTS; i++)
		tpfreectxt(contexts[i]);
	return report();
}

/* ---- many: N contexts at once, two calls in each ---- */

static int many(void)
{
	TPCONTEXT_T *c = calloc((size_t)rounds, sizeof(*c));
	long i;

	for (i = 0; c != NULL && i < 2 * rounds; i++) {
		if (i < rounds)
			c[i] = tpnewctxt(0, 0);
		count(call_in(&c[i % rounds], i));
	}
	report();
	fflush(stdout);
	getchar(); /* the story looks at the domain */
	for (i = 0; c != NULL && i < rounds; i++)
		tpfreectxt(c[i]);
	free(c);
	return 0;
}

/* ---- race: threads want the same contexts ---- */

/* One call in any of the contexts; whoever is refused lets others run. */
static int call_in_any(unsigned int *seed, long i)
{
	TPCONTEXT_T *c = &contexts[rand_r(seed) % CONTEXTS];
	int r;

	if (i % 2 == 0) {
		r = call_in(c, i);
	} else if (tpsetctxt(*c, 0) == 0) {
		r = call_in(c, i);
		tpsetctxt(TPNULLCONTEXT, 0);
	} else {
		r = tperrno;
	}
	count(r);
	if (r == TPEPROTO)
		sched_yield();
	return r;
}

/* Each thread gets its calls in the end. */
static void *races(void *arg)
{
	unsigned int seed = (unsigned int)(long)arg;
	long i;

	for (i = 0; i < rounds; i++) {
		while (call_in_any(&seed, i) == TPEPROTO)
			;
	}
	return NULL;
}

static int race(void)
{
	make_contexts();
	run_threads(races);
	free_contexts();
	return report();
}

/* ---- churn: contexts that are made, used, left in all ways ---- */

static void *churns(void *arg)
{
	TPCONTEXT_T c;
	long i;

	for (i = 0; i < rounds; i++) {
		c = tpnewctxt(0, i % 2);
		count(call_in(&c, i));
		if (i % 6 == 3) /* it is on this thread */
			tpgetctxt(&c, 0);
		tpfreectxt(c);
	}
	c = tpnewctxt(1, 1); /* goes with the thread */
	count(call_in(&c, i));
	return arg;
}

static int churn(void)
{
	run_threads(churns);
	report();
	fflush(stdout);
	getchar(); /* the story looks at the clients */
	return 0;
}

/* ---- cancel: threads are cancelled in the object API ---- */

static void *calls_for_ever(void *arg)
{
	long i;

	for (i = 0;; i++) {
		call_in(&contexts[(long)arg], i);
		pthread_testcancel();
	}
	return NULL;
}

static int cancel(void)
{
	unsigned int seed = 7;
	pthread_t t;
	long i;

	make_contexts();
	for (i = 0; i < rounds; i++) {
		pthread_create(&t, NULL, calls_for_ever,
			       (void *)(i % CONTEXTS));
		usleep((useconds_t)(rand_r(&seed) % 2000));
		pthread_cancel(t);
		pthread_join(t, NULL);
		count(call_in(&contexts[i % CONTEXTS], i));
	}
	free_contexts();
	return report();
}

/* ---- fork ---- */

static int in_child(void)
{
	TPCONTEXT_T c = TPNULLCONTEXT;

	if (tpsetctxt(contexts[0], 0) != -1 || tperrno != TPENOENT)
		return 1;
	if (call_in(&contexts[1], 5) != TPENOENT)
		return 2;
	if (call_in(&c, 6) != 0)
		return 3;
	tpfreectxt(c);
	return tperrno;
}

static int forks(void)
{
	int status = -1;
	pid_t pid;

	make_contexts();
	count(call_in(&contexts[0], 1));
	tpsetctxt(contexts[1], 0);
	count(call_in(&contexts[1], 1));
	pid = fork();
	if (pid == 0)
		_exit(in_child());
	waitpid(pid, &status, 0);
	count(WIFEXITED(status) ? WEXITSTATUS(status) : 101);
	count(call_in(&contexts[0], 2));
	count(call_in(&contexts[1], 3));
	free_contexts();
	return report();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	rounds = argc > 2 ? atol(argv[2]) : 100;
	if (strcmp(what, "outstanding") == 0)
		return outstanding();
	if (strcmp(what, "many") == 0)
		return many();
	if (strcmp(what, "race") == 0)
		return race();
	if (strcmp(what, "churn") == 0)
		return churn();
	if (strcmp(what, "cancel") == 0)
		return cancel();
	if (strcmp(what, "fork") == 0)
		return forks();
	return 2;
}
