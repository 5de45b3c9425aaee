/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl_unsol.c - commands of the test client about unsolicited messages and
 * events
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "testcl.h"

static char got[16384]; /* what the handler got: type:text| for each */
static long n_got;
/* A handler may run in a thread (TPU_THREAD). */
static pthread_mutex_t got_lock = PTHREAD_MUTEX_INITIALIZER;

/* TYPE:BYTES| */
static void note(char *data, long len)
{
	char type[XATMI_TYPE_LEN + 1] = "-", sub[XATMI_SUBTYPE_LEN + 1] = "";
	size_t n, used = strlen(got);
	const char *p;

	if (data != NULL)
		tptypes(data, type, sub);
	p = test_bytes(data, len, &n);
	n_got++;
	if (n > 100)
		snprintf(got + used, sizeof(got) - used, "%s:#%zu=%ld|", type,
			 n, test_sum(p, n));
	else
		snprintf(got + used, sizeof(got) - used, "%s:%.*s|", type,
			 (int)n, p);
}

static void record(char *data, long len, long flags)
{
	(void)flags;
	pthread_mutex_lock(&got_lock);
	note(data, len);
	pthread_mutex_unlock(&got_lock);
}

/* Does what a handler must not do. */
static void misbehave(char *data, long len, long flags)
{
	char *out = NULL;
	long olen = 0;
	int cd = 1, refused;

	(void)flags;
	refused = tpterm() < 0 && tperrno == TPEPROTO &&
		  tpcall("ECHO", NULL, 0, &out, &olen, 0) < 0 &&
		  tperrno == TPEPROTO &&
		  tpacall("ECHO", NULL, 0, TPNOREPLY) < 0 &&
		  tperrno == TPEPROTO &&
		  tpgetrply(&cd, &out, &olen, TPGETANY) < 0 &&
		  tperrno == TPEPROTO && tpchkunsol() < 0 &&
		  tperrno == TPEPROTO;
	pthread_mutex_lock(&got_lock);
	note(data, len);
	if (refused)
		strcat(got, "refused|");
	pthread_mutex_unlock(&got_lock);
}

/* unsol record|misbehave|none: `ret` -1: TPUNSOLERR, 0: there was no handler,
 * 1: record, 2: misbehave */
void do_unsol(const struct words *w)
{
	static const struct {
		const char *name;
		void (*fn)(char *, long, long);
	} handlers[] = { { "record", record },
			 { "misbehave", misbehave },
			 { "none", NULL } };
	const char *name = word(w, 1, "record");
	void (*old)(char *, long, long);
	double t = now_ms();
	size_t i;

	for (i = 0; i < 2 && strcmp(handlers[i].name, name) != 0; i++)
		;
	old = tpsetunsol(handlers[i].fn);
	answer_call(old == TPUNSOLERR ? -1
		    : old == NULL     ? 0
		    : old == record   ? 1
				      : 2,
		    NULL, 0, t);
}

void do_chkunsol(const struct words *w)
{
	double t = now_ms();

	(void)w;
	answer_call(tpchkunsol(), NULL, 0, t);
}

/* got: what the handler got since the last time, and how many */
void do_got(const struct words *w)
{
	(void)w;
	pthread_mutex_lock(&got_lock);
	answer_text("{\"n\":%ld,\"data\":\"%s\"}", n_got, got);
	got[0] = '\0';
	n_got = 0;
	pthread_mutex_unlock(&got_lock);
}

/* notify ID FLAGS DATA; ID "-": NULL */
void do_notify(const struct words *w)
{
	CLIENTID id;
	long len;
	char *data = make_data(word(w, 3, "-"), &len);
	double t = now_ms();
	int r;

	memset(&id, 0, sizeof(id));
	snprintf(id.clientdata, sizeof(id.clientdata), "%s", word(w, 1, ""));
	r = tpnotify(strcmp(id.clientdata, "-") == 0 ? NULL : &id, data, len,
		     flags_of(word(w, 2, "-")));
	answer_call(r, NULL, 0, t);
	if (data != NULL)
		tpfree(data);
}

/* notifymany ID FLAGS COUNT: numbers from 1; `ret` is how many were sent */
void do_notifymany(const struct words *w)
{
	long i, n = number(w, 3, 1);
	char *data = tpalloc("STRING", NULL, 32);
	double t = now_ms();
	CLIENTID id;
	int r = 0;

	memset(&id, 0, sizeof(id));
	snprintf(id.clientdata, sizeof(id.clientdata), "%s", word(w, 1, ""));
	for (i = 1; i <= n && r == 0; i++) {
		snprintf(data, 32, "%ld", i);
		r = tpnotify(&id, data, 0, flags_of(word(w, 2, "-")));
	}
	answer_call((int)(r == 0 ? i - 1 : i - 2), NULL, 0, t);
	tpfree(data);
}

static char *or_null(const char *text)
{
	return strcmp(text, "-") == 0 ? NULL : (char *)text;
}

/* broadcast NODE PROGRAM FLAGS DATA [USER]; "-": NULL */
void do_broadcast(const struct words *w)
{
	long len;
	char *data = make_data(word(w, 4, "-"), &len);
	double t = now_ms();
	int r = tpbroadcast(or_null(word(w, 1, "-")),
			    or_null(word(w, 5, "-")),
			    or_null(word(w, 2, "-")), data, len,
			    flags_of(word(w, 3, "-")));

	answer_call(r, NULL, 0, t);
	if (data != NULL)
		tpfree(data);
}

/* notifybad: data that cannot be sent; `ret` is tperrno */
void do_notifybad(const struct words *w)
{
	static char foreign[100];
	CLIENTID id;
	double t = now_ms();
	int r = 0;

	memset(&id, 0, sizeof(id));
	snprintf(id.clientdata, sizeof(id.clientdata), "%s", word(w, 1, ""));
	if (tpnotify(&id, foreign, 0, 0) == -1 && tperrno == TPEINVAL)
		r = tpbroadcast(NULL, NULL, NULL, foreign, 0, 0);
	answer_call(r, NULL, 0, t);
}

/* initflags FLAGS: tpinit() with flags */
void do_initflags(const struct words *w)
{
	TPINIT *p = (TPINIT *)tpalloc("TPINIT", NULL, sizeof(TPINIT));
	double t = now_ms();

	p->flags = number(w, 1, 0);
	answer_call(tpinit(p), NULL, 0, t);
	tpfree((char *)p);
}

/* ---- events ---- */

/* post NAME FLAGS DATA; `ret` is the number of consumers */
void do_post(const struct words *w)
{
	long len;
	char *data = make_data(word(w, 3, "-"), &len);
	double t = now_ms();
	int r = tppost(or_null(word(w, 1, "-")), data, len,
		       flags_of(word(w, 2, "-")));

	answer_call(r, NULL, 0, t);
	if (data != NULL)
		tpfree(data);
}

/* postmany NAME COUNT: `ret` is the sum of the consumers */
void do_postmany(const struct words *w)
{
	long i, n = number(w, 2, 1);
	double t = now_ms();
	int r = 0, sum = 0;

	for (i = 0; i < n && r >= 0; i++) {
		r = tppost((char *)word(w, 1, ""), NULL, 0, 0);
		sum += r > 0 ? r : 0;
	}
	answer_call(r < 0 ? r : sum, NULL, 0, t);
}

/* subscribe EXPR FILTER SERVICE FLAGS; SERVICE "-": ctl is NULL. With TPEVQUEUE
 * SPACE/QUEUE, or SPACE/QUEUE/CORRELATION. */
void do_subscribe(const struct words *w)
{
	const char *svc = word(w, 3, "-");
	double t = now_ms();
	TPEVCTL ctl;
	long r;

	memset(&ctl, 0, sizeof(ctl));
	ctl.flags = flags_of(word(w, 4, "1"));
	if ((ctl.flags & TPEVQUEUE) == 0)
		snprintf(ctl.name1, sizeof(ctl.name1), "%s", svc);
	else if (sscanf(svc, "%30[^/]/%30[^/]/%31s", ctl.name1, ctl.name2,
			ctl.qctl.corrid) == 3)
		ctl.qctl.flags = TPQCORRID;
	r = tpsubscribe(or_null(word(w, 1, "-")), or_null(word(w, 2, "-")),
			strcmp(svc, "-") == 0 ? NULL : &ctl, 0);
	answer_call((int)r, NULL, 0, t);
}

/* subscribemany PREFIX COUNT SERVICE: to ^PREFIX<n>$; `ret` is how many */
void do_subscribemany(const struct words *w)
{
	long i, n = number(w, 2, 1), r = 0;
	double t = now_ms();
	TPEVCTL ctl;
	char expr[64];

	memset(&ctl, 0, sizeof(ctl));
	ctl.flags = TPEVSERVICE;
	snprintf(ctl.name1, sizeof(ctl.name1), "%s", word(w, 3, ""));
	for (i = 0; i < n && r >= 0; i++) {
		snprintf(expr, sizeof(expr), "^%s%ld$", word(w, 1, ""), i);
		r = tpsubscribe(expr, NULL, &ctl, 0);
	}
	answer_call((int)i, NULL, 0, t);
}

/* unsubscribe ID: `ret` is how many */
void do_unsubscribe(const struct words *w)
{
	double t = now_ms();

	answer_call(tpunsubscribe(number(w, 1, -1), 0), NULL, 0, t);
}
