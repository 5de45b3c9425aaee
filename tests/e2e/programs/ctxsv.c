/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctxsv.c - a server whose threads answer requests after their services ended
 *
 * Offers all its services. LATER and its relatives have a thread answer the
 * request, others misuse the functions. Arguments are the text of a STRING
 * buffer.
 */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

/* What a thread does with a request. */
struct job {
	char *ctx;   /* context data */
	char *data;  /* the buffer of the request */
	void (*answer)(struct job *);
	long flags;
	char note[400];
};

static _Atomic int holding; /* threads that have a request */
static sem_t go;	    /* HOLD waits for GO */
static char told[400];	    /* for TOLD */
static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;

static void pass_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		;
}

static void tell(const char *text)
{
	pthread_mutex_lock(&told_lock);
	snprintf(told, sizeof(told), "%s", text);
	pthread_mutex_unlock(&told_lock);
}

static void what_was_told(char to[400])
{
	pthread_mutex_lock(&told_lock);
	memcpy(to, told, sizeof(told));
	pthread_mutex_unlock(&told_lock);
}

static char *string_of(const char *s)
{
	char *b = tpalloc("STRING", NULL, (long)strlen(s) + 1);

	if (b != NULL)
		strcpy(b, s);
	return b;
}

static void answer_text(int rval, const char *s)
{
	tpreturn(rval, 0, string_of(s), 0, 0);
}

/* The word before the first blank; the data begin with what follows it. */
static const char *take_word(char *data, char word[64])
{
	char *rest = strchr(data, ' ');

	snprintf(word, 64, "%.*s",
		 rest != NULL ? (int)(rest - data) : 63, data);
	if (rest != NULL)
		memmove(data, rest + 1, strlen(rest + 1) + 1);
	return word;
}

/* ---- threads ---- */

static void *work(void *arg)
{
	struct job *j = arg;
	int r = tpsrvsetctxdata(j->ctx, j->flags);

	tpsrvfreectxdata(j->ctx);
	if (r != 0) {
		tell(tpstrerror(tperrno));
	} else {
		atomic_fetch_add(&holding, 1);
		j->answer(j);
		atomic_fetch_sub(&holding, 1);
	}
	free(j);
	tpterm();
	return NULL;
}

static struct job *new_job(char *data, void (*answer)(struct job *))
{
	struct job *j = calloc(1, sizeof(*j));

	j->ctx = tpsrvgetctxdata();
	j->data = data;
	j->answer = answer;
	if (j->ctx == NULL)
		answer_text(TPFAIL, tpstrerror(tperrno));
	return j;
}

static pthread_t start(struct job *j)
{
	pthread_t t;

	if (pthread_create(&t, NULL, work, j) != 0)
		abort();
	return t;
}

static void later(TPSVCINFO *s, void (*answer)(struct job *), long flags)
{
	struct job *j = new_job(s->data, answer);

	j->flags = flags;
	pthread_detach(start(j));
	tpcontinue();
}

/* ---- answers ---- */

/* "MS TEXT": TEXT in capitals, after MS milliseconds. */
static void upper(struct job *j)
{
	char ms[64], *p;

	pass_ms(atol(take_word(j->data, ms)));
	for (p = j->data; *p != '\0'; p++)
		*p = (char)toupper((unsigned char)*p);
	tpreturn(TPSUCCESS, 11, j->data, 0, 0);
}

static void fail(struct job *j)
{
	tpreturn(TPFAIL, 55, j->data, 0, 0);
}

static void hold(struct job *j)
{
	sem_wait(&go);
	tpreturn(TPSUCCESS, 0, j->data, 0, 0);
}

/* "SVC TEXT" */
static void forward(struct job *j)
{
	char svc[64];

	take_word(j->data, svc);
	tpforward(svc, j->data, 0, 0);
}

/* "SVC TEXT": call SVC and answer what it says. */
static void call(struct job *j)
{
	char svc[64];
	long len = 0;

	take_word(j->data, svc);
	if (tpcall(svc, j->data, 0, &j->data, &len, 0) != 0)
		tpreturn(TPFAIL, tperrno, NULL, 0, 0);
	else
		tpreturn(TPSUCCESS, 0, j->data, 0, 0);
}

static void end_thread(struct job *j)
{
	(void)j;
}

static void stop_process(struct job *j)
{
	tpreturn(TPEXIT, 0, j->data, 0, 0);
}

static void leave_domain(struct job *j)
{
	tpexit();
	tpreturn(TPSUCCESS, 0, j->data, 0, 0);
}

/* The buffer of the request stays this thread's after the answer. */
static void keep(struct job *j)
{
	char start[301];

	answer_text(TPSUCCESS, "kept");
	snprintf(start, sizeof(start), "%s", j->data);
	tell(start);
	memset(j->data, 'k', strlen(j->data));
	tpfree(j->data);
}

/* A second thread cannot take what this one has. */
static void second(struct job *j)
{
	struct job *k = calloc(1, sizeof(*k));
	char text[400];
	pthread_t t;

	k->ctx = malloc(64);
	memcpy(k->ctx, j->note, 64);
	k->answer = fail;
	t = start(k);
	pthread_join(t, NULL);
	what_was_told(text);
	answer_text(TPSUCCESS, text);
}

/* Hand it to one more thread. */
static void again(struct job *j)
{
	struct job *k = new_job(j->data, upper);

	pthread_detach(start(k));
	tpcontinue();
}

/* ---- services ---- */

static void svc_later(TPSVCINFO *s)
{
	later(s, upper, 0);
}

static void svc_laterfail(TPSVCINFO *s)
{
	later(s, fail, 0);
}

static void svc_hold(TPSVCINFO *s)
{
	later(s, hold, 0);
}

/* "N": N threads of HOLD go on. */
static void svc_go(TPSVCINFO *s)
{
	long n = atol(s->data);

	while (n-- > 0)
		sem_post(&go);
	tpreturn(TPSUCCESS, 0, NULL, 0, 0);
}

static void svc_holding(TPSVCINFO *s)
{
	(void)s;
	tpreturn(TPSUCCESS, atomic_load(&holding), NULL, 0, 0);
}

static void svc_hang(TPSVCINFO *s)
{
	(void)s;
	for (;;)
		pause();
}

static void svc_laterfwd(TPSVCINFO *s)
{
	later(s, forward, 0);
}

static void svc_latercall(TPSVCINFO *s)
{
	later(s, call, 0);
}

static void svc_drop(TPSVCINFO *s)
{
	later(s, end_thread, 0);
}

static void svc_laterstop(TPSVCINFO *s)
{
	later(s, stop_process, 0);
}

static void svc_laterexit(TPSVCINFO *s)
{
	later(s, leave_domain, 0);
}

static void svc_keep(TPSVCINFO *s)
{
	later(s, keep, TPNOAUTBUF);
}

static void svc_again(TPSVCINFO *s)
{
	later(s, again, 0);
}

static void svc_told(TPSVCINFO *s)
{
	char text[400];

	(void)s;
	what_was_told(text);
	answer_text(TPSUCCESS, text);
}

/* The answer is sent before the service ends. */
static void svc_early(TPSVCINFO *s)
{
	struct job *j = new_job(s->data, upper);

	pthread_join(start(j), NULL);
	tpcontinue();
}

/* The same, and then the service answers, too: too late. */
static void svc_toolate(TPSVCINFO *s)
{
	struct job *j = new_job(s->data, upper);

	pthread_join(start(j), NULL);
	tpreturn(TPSUCCESS, 0, s->data, 0, 0);
	tell(tpstrerror(tperrno));
}

/* No thread could be started: the service answers after all. */
static void svc_back(TPSVCINFO *s)
{
	char *ctx = tpsrvgetctxdata();

	tpsrvfreectxdata(ctx);
	tpreturn(TPSUCCESS, 12, s->data, 0, 0);
}

static void svc_backfwd(TPSVCINFO *s)
{
	char svc[64];

	tpsrvfreectxdata(tpsrvgetctxdata());
	take_word(s->data, svc);
	tpforward(svc, s->data, 0, 0);
}

static void svc_lost(TPSVCINFO *s)
{
	(void)s;
	tpcontinue();
}

/* Nobody has the context data. */
static void svc_nobody(TPSVCINFO *s)
{
	(void)s;
	tpsrvfreectxdata(tpsrvgetctxdata());
	tpcontinue();
}

/* The service returns without tpcontinue(). */
static void svc_falloff(TPSVCINFO *s)
{
	pthread_detach(start(new_job(s->data, upper)));
}

/* What a second thread gets, which wants the same request. */
static void svc_two(TPSVCINFO *s)
{
	struct job *j = new_job(s->data, second);

	memcpy(j->note, j->ctx, 24);
	pthread_detach(start(j));
	tpcontinue();
}

static void note_error(const char *what)
{
	size_t n = strlen(told); /* one thread at a time */

	snprintf(told + n, sizeof(told) - n, "%s=%s ", what,
		 tpecodestr(tperrno));
}

/* Outside of a request: in a thread. */
static void *misuse(void *arg)
{
	(void)arg;
	if (tpsrvgetctxdata() == NULL)
		note_error("get");
	tpcontinue();
	note_error("continue");
	tpreturn(TPSUCCESS, 0, NULL, 0, 0);
	note_error("return");
	tpterm();
	return NULL;
}

static void svc_errors(TPSVCINFO *s)
{
	char garbage[64] = "garbage", small[8], room[64], *ctx;
	long len = sizeof(small);
	pthread_t t;

	tell("");
	pthread_create(&t, NULL, misuse, NULL);
	pthread_join(t, NULL);
	if (tpsrvsetctxdata(NULL, 0) < 0)
		note_error("null");
	if (tpsrvsetctxdata(garbage, 0) < 0)
		note_error("garbage");
	if (tpsrvgetctxdata2(small, &len) == NULL)
		note_error("small");
	if (tpsrvgetctxdata2(small, NULL) == NULL)
		note_error("nolen");
	len = sizeof(room);
	ctx = tpsrvgetctxdata2(room, &len);
	if (ctx == room && len <= (long)sizeof(room) &&
	    tpsrvsetctxdata(room, 0) < 0)
		note_error("inside");
	tpreturn(TPSUCCESS, 0, s->data, 0, 0);
}

/* ---- in the main thread, before it waits ---- */

static char *queued_ctx, *queued_data;

static int before_wait(void)
{
	char *ctx = queued_ctx, *p = queued_data;

	if (ctx == NULL)
		return 0;
	queued_ctx = NULL;
	if (tpsrvsetctxdata(ctx, 0) != 0)
		return -1;
	tpsrvfreectxdata(ctx);
	if (tpadvertise("ADDED", svc_told) != 0)
		return -1;
	tpreturn(TPSUCCESS, 13, p, 0, 0);
	return 0;
}

static void svc_mainloop(TPSVCINFO *s)
{
	queued_data = s->data;
	queued_ctx = tpsrvgetctxdata();
	tpcontinue();
}

static const struct {
	const char *name;
	void (*fn)(TPSVCINFO *);
} services[] = {
	{ "LATER", svc_later },	      { "LATERFAIL", svc_laterfail },
	{ "HOLD", svc_hold },	      { "GO", svc_go },
	{ "HOLDING", svc_holding },   { "LATERFWD", svc_laterfwd },
	{ "LATERCALL", svc_latercall }, { "DROP", svc_drop },
	{ "LATERSTOP", svc_laterstop }, { "LATEREXIT", svc_laterexit },
	{ "KEEP", svc_keep },	      { "AGAIN", svc_again },
	{ "TOLD", svc_told },	      { "EARLY", svc_early },
	{ "TOOLATE", svc_toolate },   { "BACK", svc_back },
	{ "BACKFWD", svc_backfwd },   { "LOST", svc_lost },
	{ "NOBODY", svc_nobody },     { "FALLOFF", svc_falloff },
	{ "TWO", svc_two },	      { "ERRORS", svc_errors },
	{ "MAINLOOP", svc_mainloop }, { "HANG", svc_hang },
};

int tpsvrinit(int argc, char **argv)
{
	size_t i;
	int r = 0;

	(void)argc;
	(void)argv;
	sem_init(&go, 0, 0);
	for (i = 0; i < sizeof(services) / sizeof(services[0]) && r == 0; i++)
		r = tpadvertise_full((char *)services[i].name, services[i].fn,
				     (char *)services[i].name);
	return r != 0 ? r : tpext_addb4pollcb(before_wait);
}

void tpsvrdone(void)
{
}
