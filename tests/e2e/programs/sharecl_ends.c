/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharecl_ends.c - commands of sharecl: how a shared context begins and ends
 */
#include "sharecl.h"

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

void term(void)
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

void frees(void)
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

void one_first(void)
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

void one_ends(void)
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

void one_new(void)
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

void one_or_many(void)
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
