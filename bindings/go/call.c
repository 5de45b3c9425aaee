/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - requests and replies
 */
#include "inside.h"

#include <limits.h>
#include <stdio.h>
#include <time.h>

/* tpacall() has failed. The request was not sent; but a one-way call of a durable
 * service has perhaps been stored, if it ended without tmqueue's answer. */
static void unsent(long flags, struct gow_out *out)
{
	gow_fail(out);
	tpsblktime(0, TPBLK_NEXT); /* the request was perhaps refused before */
	out->unbegun = (flags & TPNOREPLY) == 0 ||
		       (out->err != TPETIME && out->err != TPESVCERR &&
			out->err != TPESYSTEM && out->err != TPESVCFAIL &&
			out->err != TPGOTSIG);
}

/* tpgetrply(), which has failed if out->err is set. A service can return any tperrno
 * itself, so of an error in a reply only tpurcode says that the request was not
 * begun. */
static int get_reply(int *cd, char **data, long *len, long flags,
		     struct gow_out *out)
{
	int r;

	tpurcode = 0; /* not that of an earlier reply */
	r = tpgetrply(cd, data, len, flags);
	out->urcode = tpurcode;
	if (r != 0)
		gow_fail(out);
	out->unbegun = r != 0 && out->err != TPESVCFAIL &&
		       tpurcode == LONG_MIN;
	return r;
}

/* The buffer of an earlier reply is still there after one without data, where
 * NDRX_COMPAT is strict-tuxedo: a length of 0 says so. Only a CARRAY may have that
 * and be a reply. */
static char *data_of(char *reply, long len)
{
	return len > 0 || gow_is_carray(reply) ? reply : NULL;
}

/* The reply of call `cd` is there: 0, or -1. A service can return TPEBLOCK, too: not
 * the code says that nothing has come, but that it is of no call. */
static int fetch(struct gow *g, int cd, struct gow_out *out)
{
	long len = 0;
	int got = 0;
	int r = get_reply(&got, &g->reply, &len, TPGETANY | TPNOBLOCK, out);

	out->cd = cd;
	if (got != cd && (got != 0 || out->err == TPEBLOCK)) {
		out->err = out->unbegun = 0; /* something else was there */
		return 1;
	}
	if (r == 0 || out->err == TPESVCFAIL)
		gow_look_into(data_of(g->reply, len), len, out, &g->get,
			      &g->alloc_get);
	return r;
}

/* The domain was shut down: the library makes the context anew with its next
 * call, without its descriptor and its calls. */
void gow_gone(struct gow_out *out)
{
	gow_clear(out);
	out->err = TPESYSTEM;
	snprintf(out->text, sizeof(out->text), "the domain was shut down: what "
		 "became of the call is not known");
}

/* From now on the descriptor tells: 1; GOW_ANEW, it is another one; -1. */
static int guard(struct gow *g, struct gow_out *out)
{
	if (tpreplytimeout() >= 0)
		return 1;
	g->fd = tpreplyfd();
	return g->fd == -1 ? gow_fail(out) : GOW_ANEW;
}

/* 0: the reply is there; 1, GOW_ANEW: it is not; -1. */
static int await(struct gow *g, int cd, long usec, struct gow_out *out)
{
	if (usec > 0 && tpreplywait(usec) == 1)
		return fetch(g, cd, out);
	return usec >= 0 ? guard(g, out) : 1;
}

int gow_call(uintptr_t number, uintptr_t svc, struct gow_in in, long ms,
	     long usec, long flags)
{
	struct gow *g = (struct gow *)number;
	struct gow_out *out = &g->out;
	TPCONTEXT_T had = gow_enter(g);
	char *data;
	int r = gow_prepare(g, in, &data, out);

	if (r == 0) {
		gow_limit(ms);
		r = tpacall((char *)svc, data, in.len, flags);
		if (r < 0)
			unsent(flags, out);
	}
	if (r > 0) {
		out->cd = r;
		r = await(g, r, usec, out);
	}
	gow_leave(had);
	return r;
}

int gow_await(struct gow *g, int cd, long usec, struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);
	int r;

	gow_clear(out);
	out->cd = cd;
	r = await(g, cd, usec, out);
	gow_leave(had);
	return r;
}

/* One reply: false, none is there, it is of no call. */
static int drain_one(struct gow_out *out)
{
	char *buf = NULL;
	long len = 0;

	gow_clear(out);
	(void)get_reply(&out->cd, &buf, &len, TPGETANY | TPNOBLOCK, out);
	if (out->cd == 0)
		return 0;
	gow_look_later(buf, len, out);
	return 1;
}

int gow_drain(struct gow *g, int *ms)
{
	TPCONTEXT_T had = gow_enter(g);
	int n = 0;

	while (n < GOW_DRAIN && drain_one(&g->outs[n]))
		n++;
	*ms = n < GOW_DRAIN ? tpreplytimeout() : 0;
	if (*ms < 0)
		gow_gone(&g->out);
	gow_leave(had);
	return n;
}

/* ---- several at once ---- */

static struct gow_spare take_spare(struct gow *g)
{
	static const struct gow_spare none;

	return g->n_spares > 0 ? g->spares[--g->n_spares] : none;
}

static void give_spare(struct gow *g, struct gow_spare s)
{
	if (s.buf == NULL && s.fields == NULL)
		return;
	if (g->n_spares < GOW_DRAIN)
		g->spares[g->n_spares++] = s;
	else
		gow_release(s.buf, s.fields);
}

static void ask(struct gow *g, struct gow_ask *a)
{
	char *data;

	give_spare(g, a->spare);
	a->r = gow_prepare(g, a->in, &data, &a->out);
	if (a->r != 0)
		return;
	gow_limit(a->ms);
	a->r = tpacall((char *)a->svc, data, a->in.len, a->flags);
	if (a->r < 0)
		unsent(a->flags, &a->out);
}

/* One reply, with its fields, in memory that was there: false, none is there. */
static int take_one(struct gow *g, struct gow_out *out)
{
	struct gow_spare s = take_spare(g);
	long len = 0;
	char *data;
	int r;

	gow_clear(out);
	r = get_reply(&out->cd, &s.buf, &len, TPGETANY | TPNOBLOCK, out);
	if (out->cd == 0 || (r != 0 && out->err != TPESVCFAIL)) {
		give_spare(g, s);
		return out->cd != 0;
	}
	data = data_of(s.buf, len);
	gow_look_into(data, len, out, &s.fields, &s.room);
	out->fields = s.fields;
	out->room = s.room;
	if (data == NULL)
		tpfree(s.buf);
	return 1;
}

/* Take what has come, and do not put the descriptor on guard. */
static int take(struct gow *g, int n)
{
	while (n < GOW_DRAIN && tpreplywait(0) == 1 &&
	       take_one(g, &g->outs[n]))
		n++;
	return n;
}

static long now_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int is_wanted(const struct gow *g)
{
	return __atomic_load_n(&g->wanted, __ATOMIC_ACQUIRE);
}

/* Something has come. Each look is as long as the library thinks right. */
static int look(struct gow *g, long usec)
{
	long until = now_usec() + usec;

	do {
		if (is_wanted(g))
			return 0;
		if (tpreplywait(1) == 1)
			return 1;
	} while (now_usec() < until);
	return 0;
}

static int sleep_for(struct gow *g, long usec)
{
	int r = 0;

	__atomic_store_n(&g->sleeps, 1, __ATOMIC_SEQ_CST);
	if (!is_wanted(g))
		r = tpreplywait(usec);
	__atomic_store_n(&g->sleeps, 0, __ATOMIC_SEQ_CST);
	return r == 1;
}

int gow_turn(struct gow *g, int n, long usec, long sleep)
{
	TPCONTEXT_T had = gow_enter(g);
	int i, got;

	for (i = 0; i < n; i++)
		ask(g, &g->asks[i]);
	got = take(g, 0);
	if (got == 0 && usec > 0 && (look(g, usec) || sleep_for(g, sleep)))
		got = take(g, 0);
	gow_leave(had);
	return got;
}

int gow_fetch(struct gow *g, int cd, struct gow_out *out)
{
	TPCONTEXT_T had = gow_enter(g);
	char *buf = NULL;
	long len = 0;
	int r;

	gow_clear(out);
	r = get_reply(&cd, &buf, &len, TPNOBLOCK, out);
	out->cd = cd;
	if (out->err == TPEBLOCK)
		r = 1;
	else
		gow_look_apart(buf, len, out);
	gow_leave(had);
	return r;
}

int gow_anew(struct gow *g)
{
	TPCONTEXT_T had = gow_enter(g);

	g->fd = tpreplyfd();
	gow_leave(had);
	return g->fd == -1 ? -1 : 0;
}

void gow_cancel(struct gow *g, int cd)
{
	TPCONTEXT_T had = gow_enter(g);

	tpcancel(cd);
	gow_leave(had);
}
