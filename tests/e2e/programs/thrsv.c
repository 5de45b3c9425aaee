/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thrsv.c - a server whose services run in several threads at once
 *
 * After `--`: fail=N, the N-th tpsvrthrinit() fails; early=N, tpsvrinit() calls
 * TALLY one-way N times; forever=N, THANG; extra=1, each tpsvrthrinit()
 * advertises TEXTRA. At its end it prints how
 * many threads have begun and ended.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

/* As buildserver -t says it. */
int _tmbuilt_with_thread_option = 1;

static atomic_int begun, ended, ready_at_init;
static int failing;
static bool offers_in_threads;
static __thread int mine; /* number of this thread, from 1 */

static void answer(int rval, const char *text)
{
	char *b = tpalloc("STRING", NULL, 200);

	snprintf(b, 200, "%s", text);
	tpreturn(rval, 0, b, 0, 0);
}

static void pass_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/* "MS", or "/path" until this file exists: takes so long; which thread has
 * served. */
static void svc_tsleep(TPSVCINFO *s)
{
	char text[64];

	if (s->data != NULL && s->data[0] == '/')
		while (access(s->data, F_OK) != 0)
			pass_ms(2);
	else
		pass_ms(s->data != NULL ? atol(s->data) : 0);
	snprintf(text, sizeof(text), "%d %ld %d %d", (int)getpid(),
		 (long)syscall(SYS_gettid), mine, tpgetsrvid());
	answer(TPSUCCESS, text);
}

static void svc_techo(TPSVCINFO *s)
{
	size_t len;
	const char *p = test_bytes(s->data, s->len, &len);

	tpreturn(TPSUCCESS, test_sum(p, len), s->data, s->len, 0);
}

/* Call ECHO with the same data and return its reply. */
static void svc_relay(TPSVCINFO *s)
{
	if (tpcall("ECHO", s->data, s->len, &s->data, &s->len, 0) < 0)
		tpreturn(TPFAIL, tperrno, NULL, 0, 0);
	tpreturn(TPSUCCESS, tpurcode, s->data, s->len, 0);
}

static void svc_fwd(TPSVCINFO *s)
{
	tpforward("ECHO", s->data, s->len, 0);
}

static void svc_thang(TPSVCINFO *s)
{
	(void)s;
	for (;;)
		pause();
}

static void svc_tcrash(TPSVCINFO *s)
{
	(void)s;
	kill(getpid(), SIGKILL);
}

/* End the thread, not the service. */
static void svc_gone(TPSVCINFO *s)
{
	(void)s;
	if (mine == 1) {
		pass_ms(100); /* so that others take what comes now */
		answer(TPFAIL, "main");
	}
	pthread_exit(NULL);
}

static void svc_tpexit(TPSVCINFO *s)
{
	tpexit();
	tpreturn(TPSUCCESS, 0, s->data, s->len, 0);
}

static void svc_texit(TPSVCINFO *s)
{
	tpreturn(TPEXIT, 0, s->data, s->len, 0);
}

static int on_period(void)
{
	return 0;
}

/* What only the main thread may do, and only before services run. */
static void svc_refused(TPSVCINFO *s)
{
	char text[100];
	int n = 0;

	(void)s;
	n += sprintf(text + n, "%s ", tpadvertise("LATER", svc_techo) == 0
					  ? "OK" : tpecodestr(tperrno));
	n += sprintf(text + n, "%s ", tpunadvertise("TECHO") == 0
					  ? "OK" : tpecodestr(tperrno));
	n += sprintf(text + n, "%s",
		     mine == 1 ? "main"
		     : tpext_addperiodcb(1, on_period) == 0
			 ? "OK" : tpecodestr(tperrno));
	answer(TPSUCCESS, text);
}

int tpsvrthrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	mine = atomic_fetch_add(&begun, 1) + 1;
	if (offers_in_threads && tpadvertise("TEXTRA", svc_techo) != 0)
		return -1;
	return mine == failing ? -1 : 0;
}

void tpsvrthrdone(void)
{
	atomic_fetch_add(&ended, 1);
}

/* One-way: remembers the data. Else: answers with what it remembers. */
static void svc_tally(TPSVCINFO *s)
{
	static char text[4000];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char *b = NULL;

	pthread_mutex_lock(&lock);
	if (s->flags & TPNOREPLY) {
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s ", s->data);
	} else {
		b = tpalloc("STRING", NULL, sizeof(text));
		strcpy(b, text);
	}
	pthread_mutex_unlock(&lock);
	tpreturn(TPSUCCESS, 0, b, 0, 0);
}

/* The services are advertised and nobody offers them yet. */
static int call_early(const char *svc, int n)
{
	char *b = tpalloc("STRING", NULL, 100), *reply = NULL;
	long len;
	int i;

	for (i = 0; i < n; i++) {
		sprintf(b, "%d", i);
		if (tpacall((char *)svc, b, 0, TPNOREPLY) != 0)
			return -1;
	}
	tpfree(b);
	if (n == 0)
		return 0;
	return tpacall("NOSUCH", NULL, 0, TPNOREPLY) == -1 &&
			       tperrno == TPENOENT &&
			       tpcall("TALLY", NULL, 0, &reply, &len, 0) ==
				       -1 &&
			       tperrno == TPENOENT
		   ? 0
		   : -1;
}

int tpsvrinit(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(TPSVCINFO *);
	} all[] = {
		{ "TSLEEP", svc_tsleep }, { "TECHO", svc_techo },
		{ "RELAY", svc_relay },	  { "FWD", svc_fwd },
		{ "THANG", svc_thang },	  { "TCRASH", svc_tcrash },
		{ "GONE", svc_gone },	  { "TTPEXIT", svc_tpexit },
		{ "TEXIT", svc_texit },	  { "REFUSED", svc_refused },
		{ "TALLY", svc_tally },
	};
	size_t i;
	const char *svc = "TALLY";
	int early = 0;

	if (argc > 1 && strncmp(argv[1], "early=", 6) == 0)
		early = atoi(argv[1] + 6);
	if (argc > 1 && strncmp(argv[1], "forever=", 8) == 0) {
		svc = "THANG";
		early = atoi(argv[1] + 8);
	}
	if (argc > 1 && strncmp(argv[1], "fail=", 5) == 0)
		failing = atoi(argv[1] + 5);
	offers_in_threads = argc > 1 && strcmp(argv[1], "extra=1") == 0;
	ready_at_init = atomic_load(&begun);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (tpadvertise_full((char *)all[i].name, all[i].fn,
				     (char *)all[i].name) != 0)
			return -1;
	return call_early(svc, early);
}

void tpsvrdone(void)
{
	printf("threads: %d before tpsvrinit, %d begun, %d ended\n",
	       ready_at_init, begun, ended);
}
