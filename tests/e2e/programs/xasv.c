/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xasv.c - a server whose services work in transactions
 *
 * After `--`: the services to offer, all of one function. A request is text,
 * words that are done in order: add:N, call:SVC:TEXT (commas stand for blanks), nocall:SVC:TEXT (TPNOTRAN),
 * acall:SVC:TEXT and noacall:SVC:TEXT (nobody fetches the reply), forward:SVC:TEXT, sleep:MS, begin, commit, abort, suspend, fail, die, leave (without
 * tpreturn), exit; converse:SVC:TEXT (to its end), connect:SVC:TEXT (stays open), hand (control to who has
 * connected, who sends more words); handon (the service has no transaction then), thread (a thread does the
 * remaining words, and answers). The answer's rcode is tpgetlev() at the end of
 * the words. Option -n: does not open the resource manager.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xatmi.h>

#include "testxa.h"

int _tmbuilt_with_thread_option = 1;

static char *text_buffer(const char *text)
{
	char *b = tpalloc("STRING", NULL, (long)strlen(text) + 1), *p;

	strcpy(b, text);
	for (p = b; *p != '\0'; p++)
		if (*p == ',')
			*p = ' ';
	return b;
}

/* End the service; in a thread, the thread. */
static void finish(int rval, long rcode)
{
	tpreturn(rval, rcode, NULL, 0, 0);
	pthread_exit(NULL);
}

/* SVC:TEXT. Ends the service if the call fails and `must`. */
static void call(char *arg, long flags, int must)
{
	char *colon = strchr(arg, ':'), *b;
	long len;

	*colon = '\0';
	b = text_buffer(colon + 1);
	if (tpcall(arg, b, 0, &b, &len, flags) != 0 && must)
		finish(TPFAIL, tperrno);
	tpfree(b);
}

/* SVC:TEXT: a call whose reply nobody fetches. */
static void call_only(char *arg, long flags)
{
	char *colon = strchr(arg, ':'), *b;

	*colon = '\0';
	b = text_buffer(colon + 1);
	if (tpacall(arg, b, 0, flags) < 0)
		finish(TPFAIL, tperrno);
	tpfree(b);
}

static void forward(char *arg)
{
	char *colon = strchr(arg, ':');

	*colon = '\0';
	tpforward(arg, text_buffer(colon + 1), 0, 0);
	pthread_exit(NULL);
}

/* SVC:TEXT: begin a conversation; `whole`: until the service has succeeded. */
static void converse(char *arg, int whole)
{
	char *colon = strchr(arg, ':'), *b;
	long len, event = 0;
	int cd;

	*colon = '\0';
	b = text_buffer(colon + 1);
	cd = tpconnect(arg, b, 0, TPRECVONLY);
	if (cd < 0)
		finish(TPFAIL, tperrno);
	if (whole && (tprecv(cd, &b, &len, 0, &event) == 0 ||
		      event != TPEV_SVCSUCC))
		finish(TPFAIL, event);
	tpfree(b);
}

static void pass_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

static void require(int r)
{
	if (r != 0)
		finish(TPFAIL, tperrno);
}

static void act(char *w)
{
	static TPTRANID id;

	if (strncmp(w, "add:", 4) == 0)
		require(testxa_add(atol(w + 4)));
	else if (strncmp(w, "call:", 5) == 0)
		call(w + 5, 0, 1);
	else if (strncmp(w, "try:", 4) == 0)
		call(w + 4, 0, 0);
	else if (strncmp(w, "spare:", 6) == 0)
		call(w + 6, TPNOABORT, 0);
	else if (strncmp(w, "nocall:", 7) == 0)
		call(w + 7, TPNOTRAN, 1);
	else if (strncmp(w, "acall:", 6) == 0)
		call_only(w + 6, 0);
	else if (strncmp(w, "noacall:", 8) == 0)
		call_only(w + 8, TPNOTRAN);
	else if (strncmp(w, "forward:", 8) == 0)
		forward(w + 8);
	else if (strncmp(w, "converse:", 9) == 0)
		converse(w + 9, 1);
	else if (strncmp(w, "connect:", 8) == 0)
		converse(w + 8, 0);
	else if (strcmp(w, "handon") == 0)
		tpsrvfreectxdata(tpsrvgetctxdata());
	else if (strncmp(w, "sleep:", 6) == 0)
		pass_ms(atol(w + 6));
	else if (strcmp(w, "begin") == 0)
		require(tpbegin(20, 0));
	else if (strcmp(w, "commit") == 0)
		require(tpcommit(0));
	else if (strcmp(w, "abort") == 0)
		require(tpabort(0));
	else if (strcmp(w, "suspend") == 0)
		require(tpsuspend(&id, 0));
	else if (strcmp(w, "resume") == 0)
		require(tpresume(&id, 0));
	else if (strcmp(w, "fail") == 0)
		finish(TPFAIL, 0);
	else if (strcmp(w, "die") == 0)
		kill(getpid(), SIGKILL);
	else if (strcmp(w, "exit") == 0)
		tpreturn(TPEXIT, 0, NULL, 0, 0);
}

/* Words for a thread, and the request that it answers. */
struct work {
	char *ctxdata;
	char words[4096];
};

static int do_words(char *all, int cd);

static void *run_thread(void *arg)
{
	struct work w = *(struct work *)arg;
	int r;

	free(arg);
	r = tpopen() == 0 ? tpsrvsetctxdata(w.ctxdata, 0) : -1;
	if (r != 0)
		fprintf(stderr, "thread: %s\n", tpecodestr(tperrno));
	tpsrvfreectxdata(w.ctxdata);
	if (r == 0 && do_words(w.words, -1))
		finish(TPSUCCESS, tpgetlev());
	return NULL;
}

static void start_thread(const char *words)
{
	struct work *w = calloc(1, sizeof(*w));
	pthread_t t;

	snprintf(w->words, sizeof(w->words), "%s", words);
	w->ctxdata = tpsrvgetctxdata();
	if (pthread_create(&t, NULL, run_thread, w) == 0)
		pthread_detach(t);
	tpcontinue();
}

/* Hand over control in conversation `cd`, and do what comes. */
static void converse_on(int cd)
{
	char *b = text_buffer("");
	long len, event;

	if (tpsend(cd, b, 0, TPRECVONLY, &event) != 0)
		finish(TPFAIL, event);
	tprecv(cd, &b, &len, 0, &event);
	if (event != TPEV_SENDONLY)
		finish(TPFAIL, event);
	(void)do_words(b, cd);
	tpfree(b);
}

/* 0: the service is to return without an answer. */
static int do_words(char *words, int cd)
{
	char all[4096], *at = all, *w;

	snprintf(all, sizeof(all), "%s", words);
	while ((w = strsep(&at, " ")) != NULL) {
		if (strcmp(w, "leave") == 0)
			return 0;
		if (strcmp(w, "thread") == 0)
			start_thread(at != NULL ? at : "");
		else if (strcmp(w, "hand") == 0)
			converse_on(cd);
		else
			act(w);
	}
	return 1;
}

static void serve(TPSVCINFO *s)
{
	if (do_words(s->data != NULL ? s->data : (char *)"", s->cd))
		tpreturn(TPSUCCESS, tpgetlev(), NULL, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	int c, opens = 1;

	while ((c = getopt(argc, argv, "n")) != -1)
		opens = 0;
	if (opens && tpopen() != 0) {
		fprintf(stderr, "tpopen: %s\n", tpstrerror(tperrno));
		return -1;
	}
	for (; optind < argc; optind++)
		if (tpadvertise(argv[optind], serve) != 0)
			return -1;
	return 0;
}

int tpsvrthrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return tpopen();
}

void tpsvrdone(void)
{
}
