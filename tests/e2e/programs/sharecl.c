/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharecl.c - threads that share one context, as in Tuxedo: sharecl COMMAND [...]
 *
 * NDRX_COMPAT is strict-tuxedo. Prints "ok", or what is wrong. In commands that
 * begin with "one" no thread puts it on: the process has it (no TPMULTICONTEXTS).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xatmi.h>

#include "common.h"

#define THREADS 8

static TPCONTEXT_T shared;
static atomic_int wrong, begun, over;
static int argc_;
static char **argv_;

#define IS(x)                                                                \
	do {                                                                 \
		if (!(x) && atomic_fetch_add(&wrong, 1) < 20)                \
			printf("%s:%d: %s: %s\n", argv_[1], __LINE__, #x, \
			       tpstrerror(tperrno));                         \
	} while (0)

static const char *arg(int i, const char *def)
{
	return i < argc_ ? argv_[i] : def;
}

static char *text_of(const char *s)
{
	char *b = tpalloc("STRING", NULL, 1024);

	snprintf(b, 1024, "%s", s);
	return b;
}

/* One call: 0 if the reply is what was sent; else tperrno, 100. */
static int call(const char *svc, const char *text)
{
	char *data = text_of(text), *out = NULL;
	long len = 0;
	int r = tpcall((char *)svc, data, 0, &out, &len, 0);

	r = r < 0 ? tperrno : strcmp(out, text) == 0 ? 0 : 100;
	tpfree(data);
	if (out != NULL)
		tpfree(out);
	return r;
}

static int call_number(const char *svc, long n)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", n);
	return call(svc, text);
}

static int one(void)
{
	return strncmp(arg(1, ""), "one", 3) == 0;
}

static void enter(void)
{
	if (!one())
		IS(tpsetctxt(shared, 0) >= 0);
	atomic_fetch_add(&begun, 1);
}

static void await(atomic_int *what, int n)
{
	while (atomic_load(what) < n)
		usleep(1000);
}

static pthread_t start(void *(*fn)(void *), long n)
{
	pthread_t t;

	pthread_create(&t, NULL, fn, (void *)(intptr_t)n);
	return t;
}

static void run(void *(*fn)(void *))
{
	pthread_t t[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		t[i] = start(fn, i);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

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

static void replies(void)
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

static void any(void)
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

static void beside(void)
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

/* ---- term: a thread ends the context in which others are ---- */

static void *is_cut(void *arg)
{
	TPCONTEXT_T c = TPNULLCONTEXT;

	enter();
	IS(call("SLEEP", (long)(intptr_t)arg == 0 ? "2000" : "2001") ==
	   TPESYSTEM);
	IS(call("ECHO", "x") == TPEPROTO);
	IS(tpgetlev() == 0);
	IS(tpgetctxt(&c, 0) >= 0 && (intptr_t)c == TPINVALIDCONTEXT);
	IS(tpsetctxt(shared, 0) == -1 && tperrno == TPENOENT);
	if ((long)(intptr_t)arg == 0)
		IS(tpsetctxt(TPNULLCONTEXT, 0) >= 0);
	else
		IS(tpterm() == 0);
	IS(tpgetctxt(&c, 0) >= 0 && c == TPNULLCONTEXT);
	IS(call("ECHO", "x") == 0);
	IS(tpterm() == 0);
	return arg;
}

static void *was_out(void *arg)
{
	enter();
	await(&over, 1);
	IS(call("ECHO", "x") == TPEPROTO);
	IS(tpterm() == 0);
	return arg;
}

static void term(void)
{
	pthread_t a = start(is_cut, 0), b = start(is_cut, 1),
		  c = start(was_out, 0);

	await(&begun, 3);
	usleep(200000);
	IS(tpterm() == 0);
	atomic_store(&over, 1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pthread_join(c, NULL);
	IS(call("ECHO", "again") == 0);
}

/* ---- free: by its handle, of a thread that has another one ---- */

static void frees(void)
{
	TPCONTEXT_T other = TPNULLCONTEXT, first = shared;
	TPINIT *info = (TPINIT *)tpalloc("TPINIT", NULL, TPINITNEED(0));

	memset(info, 0, sizeof(*info));
	info->flags = TPMULTICONTEXTS;
	IS(tpinit(info) == 0 && tpgetctxt(&other, 0) >= 0);
	IS(other != first);
	IS(call("ECHO", "other") == 0);
	tpfreectxt(first);
	IS(tperrno == 0);
	IS(tpsetctxt(first, 0) == -1 && tperrno == TPENOENT);
	IS(tpgetctxt(&first, 0) >= 0 && first == other);
	IS(call("ECHO", "other") == 0);
	tpfree((char *)info);
}

/* ---- tran SVC TEXT: threads work in one transaction, one commits ---- */

static void *works(void *arg)
{
	char *data = text_of(argv_[3]), *out = NULL;
	long len = 0;

	enter();
	IS(tpgetlev() == 1);
	IS(tpcall(argv_[2], data, 0, &out, &len, 0) == 0);
	tpfree(out);
	tpfree(data);
	return arg;
}

static void *commits(void *arg)
{
	enter();
	IS(tpcommit(0) == 0);
	return arg;
}

static void *begins(void *arg)
{
	enter();
	if (tpbegin(20, 0) == 0)
		atomic_fetch_add(&over, 1);
	else
		IS(tperrno == TPEPROTO);
	return arg;
}

static void tran(void)
{
	IS(tpopen() == 0 && tpbegin(20, 0) == 0);
	run(works);
	pthread_join(start(commits, 0), NULL);
	IS(tpgetlev() == 0);
	IS(tpcommit(0) == -1 && tperrno == TPEPROTO);
}

/* ---- begin: of threads that begin one at once, one does ---- */

static void *opens_and_begins(void *arg)
{
	tpopen();
	return begins(arg);
}

static void begin(void)
{
	IS(tpopen() == 0);
	run(opens_and_begins);
	IS(over == 1);
	IS(tpabort(0) == 0);
}

/* ---- early SVC TEXT: commit while a call of another thread is out ---- */

static void *is_late(void *arg)
{
	char *data = text_of(argv_[3]), *out = NULL;
	long len = 0;

	enter();
	IS(tpcall(argv_[2], data, 0, &out, &len, 0) == -1);
	IS(tperrno == TPETRAN);
	tpfree(data);
	return arg;
}

static void early(void)
{
	pthread_t t;

	IS(tpopen() == 0 && tpbegin(20, 0) == 0);
	t = start(is_late, 0);
	await(&begun, 1);
	usleep(300000);
	IS(tpcommit(0) == -1 && tperrno == TPEABORT);
	pthread_join(t, NULL);
	IS(call("ECHO", "x") == 0);
}

/* ---- conv: a conversation for each thread ---- */

static void *converses(void *arg)
{
	char *data = text_of("all give:a all give:b all return:bye");
	char *out = NULL;
	long i, len = 0, event = 0;
	int cd;

	enter();
	cd = tpconnect("CONV", data, 0, TPSENDONLY);
	IS(cd >= 0);
	for (i = 0; i < 3; i++) {
		IS(tpsend(cd, data, 0, TPRECVONLY, &event) == 0);
		IS(tprecv(cd, &out, &len, 0, &event) == -1);
		IS(tperrno == TPEEVENT);
		IS(event == (i < 2 ? TPEV_SENDONLY : TPEV_SVCSUCC));
		IS(out != NULL && strncmp(out, &"a\0b\0bye"[2 * i], 3) == 0);
	}
	IS(tpdiscon(cd) == -1 && tperrno == TPEBADDESC);
	tpfree(data);
	tpfree(out);
	return arg;
}

/* Two threads in one conversation. */
static void *waits_in_it(void *arg)
{
	char *out = NULL;
	long len = 0, event = 0;

	enter();
	IS(tprecv(cds[0], &out, &len, 0, &event) == -1);
	IS(tperrno == TPEEVENT && event == TPEV_SVCSUCC);
	atomic_store(&over, 1);
	return arg;
}

static void conv(void)
{
	char *data = text_of("sleep:600 return:bye"), *out = NULL;
	long len = 0, event = 0;
	pthread_t t;

	run(converses);
	atomic_store(&begun, 0);
	cds[0] = tpconnect("CONV", data, 0, TPRECVONLY);
	t = start(waits_in_it, 0);
	await(&begun, 1);
	usleep(100000);
	IS(tprecv(cds[0], &out, &len, 0, &event) == -1 && tperrno == TPEPROTO);
	IS(tpdiscon(cds[0]) == -1 && tperrno == TPEPROTO);
	IS(call("ECHO", "x") == 0 && over == 0);
	pthread_join(t, NULL);
	tpfree(data);
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

/* ---- cancel: a thread that waits is cancelled ---- */

static void cancel(void)
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

static void object(void)
{
	run(calls_in_it);
}

/* ---- child: a forked child shares nothing ---- */

static void child(void)
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

static void again(void)
{
	pthread_t t = start(marks, 0);

	run(calls_twice);
	pthread_join(t, NULL);
}

/* ---- one_first: threads that call at once, and nobody has joined before ---- */

static TPCONTEXT_T handles[THREADS];

static void *calls_first(void *arg)
{
	long n = (long)(intptr_t)arg;

	atomic_fetch_add(&begun, 1);
	await(&begun, THREADS);
	IS(call_number("ECHO", n) == 0);
	IS(tpgetctxt(&handles[n], 0) >= 0);
	return arg;
}

static void one_first(void)
{
	TPCONTEXT_T mine = TPNULLCONTEXT;
	int i;

	IS(tpterm() == 0);
	IS(tpgetctxt(&mine, 0) >= 0 && mine == TPNULLCONTEXT);
	run(calls_first);
	IS(tpgetctxt(&mine, 0) >= 0 && mine != TPNULLCONTEXT);
	for (i = 0; i < THREADS; i++)
		IS(handles[i] == mine);
	IS(tpsetctxt(TPNULLCONTEXT, 0) >= 0);
	IS(tpsetctxt((TPCONTEXT_T)TPSINGLECONTEXT, 0) >= 0);
	IS(tpgetctxt(&mine, 0) >= 0 && mine == handles[0]);
}

/* ---- line: threads call a service whose queue others keep full ---- */

static void *calls_once(void *arg)
{
	enter();
	IS(call("NAP", "x") == 0);
	return arg;
}

static void line(void)
{
	run(calls_once);
}

/* ---- one_ends: tpterm() is the end for all, and who calls begins another ---- */

static void *begins_another(void *arg)
{
	TPCONTEXT_T c = TPNULLCONTEXT;

	enter();
	IS(call("SLEEP", "2000") == TPESYSTEM);
	await(&over, 1);
	IS(tpgetctxt(&c, 0) >= 0 && c == TPNULLCONTEXT);
	IS(tpgetlev() == 0);
	IS(call("ECHO", "x") == 0);
	IS(tpgetctxt(&c, 0) >= 0 && c != TPNULLCONTEXT && c != shared);
	return arg;
}

static void one_ends(void)
{
	pthread_t t = start(begins_another, 0);

	await(&begun, 1);
	usleep(200000);
	IS(tpterm() == 0);
	atomic_store(&over, 1);
	pthread_join(t, NULL);
	IS(call("ECHO", "again") == 0);
}

/* ---- one_new: a thread of the process takes a context of its own ---- */

static void one_new(void)
{
	TPCONTEXT_T mine = tpnewctxt(1, 1), is = TPNULLCONTEXT;

	IS(mine != TPNULLCONTEXT && tpgetctxt(&is, 0) >= 0 && is == mine);
	IS(call("ECHO", "x") == 0);
	IS(tpgetctxt(&is, 0) >= 0 && is == mine);
	IS(tpsetctxt(shared, 0) >= 0 && call("ECHO", "y") == 0);
	IS(tpgetctxt(&is, 0) >= 0 && is == shared);
	tpfreectxt(mine);
	IS(tperrno == 0);
}

/* ---- one_or_many: not both ---- */

static int join_many(void)
{
	TPINIT *info = (TPINIT *)tpalloc("TPINIT", NULL, TPINITNEED(0));
	int r;

	memset(info, 0, sizeof(*info));
	info->flags = TPMULTICONTEXTS;
	r = tpinit(info) == 0 ? 0 : tperrno;
	tpfree((char *)info);
	return r;
}

static void *is_refused(void *arg)
{
	IS(join_many() == TPEPROTO);
	IS(call("ECHO", "x") == 0);
	return arg;
}

static void *has_its_own(void *arg)
{
	TPCONTEXT_T c = TPNULLCONTEXT;

	IS(join_many() == 0 && tpgetctxt(&c, 0) >= 0);
	IS(c != TPNULLCONTEXT && c != shared);
	IS(call("ECHO", "x") == 0);
	IS(tpterm() == 0);
	return arg;
}

static void one_or_many(void)
{
	IS(is_refused(NULL) == NULL);
	pthread_join(start(is_refused, 0), NULL);
	IS(tpterm() == 0);
	IS(tpchkauth() == TPNOAUTH); /* joins nothing */
	IS(join_many() == 0 && tpgetctxt(&shared, 0) >= 0);
	IS(call("ECHO", "x") == 0);
	run(has_its_own);
	IS(tpterm() == 0);
	IS(call("ECHO", "x") == 0);
	pthread_join(start(is_refused, 0), NULL);
}

/* ---- */

static void all_call(void)
{
	run(calls);
}

static void all_fill(void)
{
	run(fills);
}

static const struct {
	const char *word;
	void (*fn)(void);
} commands[] = {
	{ "calls", all_call }, { "replies", replies }, { "any", any },
	{ "beside", beside },  { "term", term },       { "free", frees },
	{ "tran", tran },      { "begin", begin },     { "early", early },
	{ "conv", conv },      { "full", all_fill }, { "cancel", cancel },
	{ "object", object },  { "child", child },     { "again", again },
	{ "line", line },
	{ "one", all_call },   { "one_first", one_first },
	{ "one_ends", one_ends }, { "one_new", one_new }, { "one_or_many", one_or_many },
	{ "one_replies", replies }, { "one_any", any },
	{ "one_beside", beside }, { "one_conv", conv },
	{ "one_full", all_fill }, { "one_cancel", cancel },
	{ "one_tran", tran },  { "one_begin", begin }, { "one_early", early },
	{ "one_child", child }, { "one_again", again },
};

int main(int argc, char **argv)
{
	size_t i;

	argc_ = argc;
	argv_ = argv;
	IS(one() ? tpinit(NULL) == 0 : join_many() == 0);
	IS(tpgetctxt(&shared, 0) >= 0 && shared != TPNULLCONTEXT);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(arg(1, ""), commands[i].word) == 0)
			commands[i].fn();
	IS(tpterm() == 0);
	if (wrong == 0)
		puts("ok");
	return wrong != 0;
}
