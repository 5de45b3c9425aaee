/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switchsv.c - a server whose services change contexts as language bindings do
 *
 * CTX does what its text says, and replies with it, or with the error. WHO
 * calls ECHO and says in which context: 1, the server's own.
 */
#include <oatmi.h>
#include <oatmisrv.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common.h"

static TPCONTEXT_T other; /* kept from service to service */

static void answer(const char *text)
{
	char *b = tpalloc("STRING", NULL, 200);

	snprintf(b, 200, "%s", text);
	tpreturn(TPSUCCESS, 0, b, 0, 0);
}

/* tperrno of a call of ECHO, in a context. */
static int call_in(TPCONTEXT_T *context)
{
	char *out = NULL;
	long len = 0;
	int r = Otpcall(context, "ECHO", NULL, 0, &out, &len, 0);

	return r < 0 ? Otperrno(context) : 0;
}

static int call(void)
{
	char *out = NULL;
	long len = 0;

	return tpcall("ECHO", NULL, 0, &out, &len, 0) < 0 ? tperrno : 0;
}

/* Take the server's context off, call in another one, put it on again. */
static int swap(void)
{
	TPCONTEXT_T mine;

	if (tpgetctxt(&mine, 0) != TPMULTICONTEXTS || call_in(&other) != 0)
		return -1;
	return tpsetctxt(mine, 0);
}

/* Return with no context on the thread. */
static int leave(void)
{
	TPCONTEXT_T mine;

	return tpgetctxt(&mine, 0) == TPMULTICONTEXTS ? 0 : -1;
}

/* Return with a foreign context on the thread. */
static int stay(void)
{
	TPCONTEXT_T mine;

	if (tpgetctxt(&mine, 0) != TPMULTICONTEXTS || call_in(&other) != 0)
		return -1;
	return tpsetctxt(other, 0) == 0 ? call() : -1;
}

/* A service cannot free the context with which it serves. */
static int release(void)
{
	TPCONTEXT_T mine;

	if (tpgetctxt(&mine, 0) != TPMULTICONTEXTS)
		return -1;
	tpfreectxt(mine);
	if (tperrno != TPEPROTO || tpsetctxt(mine, 0) != 0)
		return -1;
	tpfreectxt(mine);
	return tperrno == TPEPROTO ? 0 : -1;
}

static void *take(void *context)
{
	return tpsetctxt(context, 0) == -1 && tperrno == TPEPROTO ? context
								  : NULL;
}

/* No other thread can have it. */
static int lend(void)
{
	void *refused = NULL;
	TPCONTEXT_T mine;
	pthread_t t;

	if (tpgetctxt(&mine, 0) != TPMULTICONTEXTS)
		return -1;
	pthread_create(&t, NULL, take, mine);
	pthread_join(t, &refused);
	return refused == mine ? 0 : -1;
}

/* Reply by the object API, in the server's context or in another one. */
static int reply(TPSVCINFO *s, int own)
{
	TPCONTEXT_T mine;

	if (own && tpgetctxt(&mine, 0) != TPMULTICONTEXTS)
		return -1;
	if (own && call_in(&mine) != 0)
		return -1;
	Otpreturn(own ? &mine : &other, TPSUCCESS, 0, s->data, 0, 0);
	return -2; /* not reached */
}

/* In a foreign context the server is one, too, and answers pings. */
static int wait_long(void)
{
	char *data = tpalloc("STRING", NULL, 10), *out = NULL;
	long len = 0;
	int r;

	strcpy(data, "4000");
	r = Otpcall(&other, "SLEEP", data, 0, &out, &len, TPNOTIME);
	tpfree(data);
	return r == 0 ? 0 : -1;
}

static int forward(TPSVCINFO *s)
{
	TPCONTEXT_T mine;

	if (tpgetctxt(&mine, 0) != TPMULTICONTEXTS)
		return -1;
	Otpforward(&other, "ECHO", s->data, 0, 0);
	return -2; /* not reached */
}

static void ctx(TPSVCINFO *s)
{
	const char *how = s->data;
	int r = strcmp(how, "swap") == 0	? swap()
		: strcmp(how, "leave") == 0	? leave()
		: strcmp(how, "stay") == 0	? stay()
		: strcmp(how, "release") == 0	? release()
		: strcmp(how, "lend") == 0	? lend()
		: strcmp(how, "own") == 0	? reply(s, 1)
		: strcmp(how, "other") == 0	? reply(s, 0)
		: strcmp(how, "wait") == 0	? wait_long()
		: strcmp(how, "forward") == 0 ? forward(s)
						: -3;

	answer(r == 0 ? how : "failed");
}

/* The client id with which this service calls. */
static void who(TPSVCINFO *s)
{
	char *out = NULL;
	long len = 0;

	(void)s;
	if (tpcall("CLTID", NULL, 0, &out, &len, 0) < 0)
		answer(tpstrerror(tperrno));
	tpreturn(TPSUCCESS, 0, out, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	other = tpnewctxt(0, 0);
	return other == NULL || tpadvertise("CTX", ctx) != 0 ||
			       tpadvertise("WHO", who) != 0
		       ? -1
		       : 0;
}

void tpsvrdone(void)
{
	tpfreectxt(other);
}
