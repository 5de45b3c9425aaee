/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharecl_calls.c - commands of sharecl: calls and replies of many threads
 */
#include "sharecl.h"

#include <stdlib.h>
#include <sys/wait.h>

/* ---- calls: all threads call at once, of all lengths ---- */

static void *calls(void *n)
{
	long i, rounds = atol(arg(2, "100")), mine = (long)(intptr_t)n;

	enter();
	for (i = 0; i < rounds; i++)
		IS(call_number(i % 50 == mine ? "SLEEP" : "ECHO",
			       i % 50 == mine ? 2 : i * 100 + mine) == 0);
	IS(tpsetctxt(TPNULLCONTEXT, 0) >= 0);
	return NULL;
}

void all_call(void)
{
	run(calls);
}

/* ---- replies: a thread fetches what another has asked for ---- */

static int cds[THREADS];

static void *fetches(void *arg)
{
	char *out = NULL, text[32];
	long len = 0, n = (long)(intptr_t)arg;

	enter();
	snprintf(text, sizeof(text), "%ld", 10 + 3 * (THREADS - n));
	IS(tpgetrply(&cds[n], &out, &len, 0) == 0 && strcmp(out, text) == 0);
	tpfree(out);
	return NULL;
}

void replies(void)
{
	pthread_t t[THREADS];
	char *data, text[32];
	long i;

	for (i = 0; i < THREADS; i++) {
		snprintf(text, sizeof(text), "%ld", 10 + 3 * (THREADS - i));
		data = text_of(text);
		cds[i] = tpacall("SLEEP", data, 0, 0);
		IS(cds[i] > 0);
		tpfree(data);
	}
	for (i = 0; i < THREADS; i++)
		t[i] = start(fetches, i);
	for (i = 0; i < 200; i++)
		IS(call_number("ECHO", i) == 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (i = 0; i < THREADS; i++) /* it was fetched */
		IS(tpgetrply(&cds[i], &data, &i, 0) == -1);
}

/* ---- any: one thread waits for any reply ---- */

static void *takes_any(void *arg)
{
	char *out = NULL;
	long len = 0;
	int cd = 0;

	enter();
	IS(tpgetrply(&cd, &out, &len, TPGETANY) == 0);
	IS(cd == cds[0]);
	tpfree(out);
	atomic_store(&over, 1);
	return arg;
}

void any(void)
{
	char *data = text_of("700"), *out = NULL;
	long i, len = 0;
	pthread_t t;

	cds[0] = tpacall("SLEEP", data, 0, 0);
	IS(cds[0] > 0);
	t = start(takes_any, 0);
	await(&begun, 1);
	usleep(100000); /* it waits */
	for (i = 0; i < 50; i++) /* the thread gets none of these */
		IS(call_number("ECHO", i) == 0);
	IS(tpgetrply(&cds[0], &out, &len, 0) == -1 && tperrno == TPEPROTO);
	IS(tpgetrply(&cds[1], &out, &len, TPGETANY) == -1 &&
	   tperrno == TPEPROTO);
	IS(over == 0);
	pthread_join(t, NULL);
	tpfree(data);
}

/* ---- beside: calls go on while another thread waits ---- */

static void *sleeps(void *arg)
{
	enter();
	IS(call("SLEEP", "800") == 0);
	atomic_store(&over, 1);
	return arg;
}

void beside(void)
{
	pthread_t t = start(sleeps, 0);
	long i = 0, before = 0;

	await(&begun, 1);
	while (atomic_load(&over) == 0) {
		IS(call_number("ECHO", i++) == 0);
		before += atomic_load(&over) == 0;
	}
	IS(before >= 5);
	pthread_join(t, NULL);
}

/* ---- full: threads fill a queue, whose replies they take ---- */

static void *fills(void *arg)
{
	char *data = text_of("0"), *out = NULL;
	int mine[300];
	long i, len = 0;

	enter();
	for (i = 0; i < 300; i++) {
		mine[i] = tpacall("SLEEP", data, 0, 0);
		IS(mine[i] > 0);
	}
	for (i = 0; i < 300; i++)
		IS(tpgetrply(&mine[i], &out, &len, 0) == 0);
	tpfree(data);
	tpfree(out);
	return arg;
}

void all_fill(void)
{
	run(fills);
}

/* ---- cancel: a thread that waits is cancelled ---- */

void cancel(void)
{
	pthread_t t;
	long i;

	for (i = 0; i < 4; i++) {
		atomic_store(&begun, 0);
		t = start(sleeps, 0);
		await(&begun, 1);
		usleep(20000 * (unsigned int)i);
		pthread_cancel(t);
		pthread_join(t, NULL);
		IS(call_number("ECHO", i) == 0);
	}
	run(calls);
}

/* ---- object: calls of the object API in it, from any thread ---- */

extern int Otpcall(TPCONTEXT_T *p_ctxt, char *svc, char *idata, long ilen,
		   char **odata, long *olen, long flags);

static void *calls_in_it(void *arg)
{
	char *data = text_of("x"), *out = NULL;
	long i, len = 0;

	for (i = 0; i < 100; i++) {
		IS(Otpcall(&shared, "ECHO", data, 0, &out, &len, 0) == 0);
		if (i == 50) /* it has one of its own now */
			IS(call("ECHO", "mine") == 0);
	}
	tpfree(data);
	tpfree(out);
	IS(tpterm() == 0);
	return arg;
}

void object(void)
{
	run(calls_in_it);
}

/* ---- child: a forked child shares nothing ---- */

void child(void)
{
	int status = 0;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		IS(tpsetctxt(shared, 0) == -1 && tperrno == TPENOENT);
		IS(call("ECHO", "child") == 0);
		tpterm();
		fflush(stdout);
		_exit(wrong != 0);
	}
	IS(waitpid(pid, &status, 0) == pid && status == 0);
	run(calls);
}

/* ---- again FILE: the domain is started again while threads share it ---- */

static void *calls_twice(void *arg)
{
	enter();
	IS(call("ECHO", "x") == 0);
	atomic_fetch_add(&over, 1);
	while (access(argv_[2], F_OK) != 0)
		usleep(1000);
	IS(call("ECHO", "y") == 0);
	return arg;
}

static void *marks(void *arg)
{
	char name[256];

	await(&over, THREADS);
	snprintf(name, sizeof(name), "%s.all", argv_[2]);
	fclose(fopen(name, "w"));
	return arg;
}

void again(void)
{
	pthread_t t = start(marks, 0);

	run(calls_twice);
	pthread_join(t, NULL);
}

/* ---- line: threads call a service whose queue others keep full ---- */

static void *calls_once(void *arg)
{
	enter();
	IS(call("NAP", "x") == 0);
	return arg;
}

void line(void)
{
	run(calls_once);
}
