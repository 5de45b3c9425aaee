/* SPDX-License-Identifier: Apache-2.0 */
/*
 * testcl_load.c - many concurrent calls, each with its result checked
 *
 * A call ends with its own data, or with an error that is counted by name;
 * any other reply is "wrong".
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "testcl.h"

struct load {
	const char *svc, *stop_file;
	long calls, size;
	useconds_t pause; /* between two calls of a thread */
	atomic_long ok, wrong, errors[TPMAXVAL + 1];
	atomic_bool stop;
	_Atomic long max_us, last_us;
	double t0;
	pthread_barrier_t *meet;
};

static void note_time(struct load *l, double since)
{
	double now = now_ms();
	long us = (long)((now - since) * 1000), old = atomic_load(&l->max_us);

	atomic_store(&l->last_us, (long)((now - l->t0) * 1000));
	while (us > old &&
	       !atomic_compare_exchange_weak(&l->max_us, &old, us))
		;
}

static void note_result(struct load *l, int r, int same)
{
	int err = tperrno;

	if (r == 0 && same)
		atomic_fetch_add(&l->ok, 1);
	else if (r != 0 && err > 0 && err <= TPMAXVAL)
		atomic_fetch_add(&l->errors[err], 1);
	else
		atomic_fetch_add(&l->wrong, 1);
}

/* One call with text that no other call has. */
static void one_call(struct load *l, long nr, char **out)
{
	char *data = tpalloc("STRING", NULL, l->size + 64);
	double t = now_ms();
	long olen = 0;
	int n, r;

	if (data == NULL) {
		atomic_fetch_add(&l->wrong, 1);
		return;
	}
	n = sprintf(data, "%lx.%ld.", (unsigned long)pthread_self(), nr);
	if (n < l->size) {
		memset(data + n, 'x', (size_t)(l->size - n));
		data[l->size] = '\0';
	}
	r = tpcall((char *)l->svc, data, 0, out, &olen, 0);
	note_result(l, r, r == 0 && *out != NULL && strcmp(*out, data) == 0);
	note_time(l, t);
	tpfree(data);
}

static void *load_thread(void *arg)
{
	struct load *l = arg;
	char *out = NULL;
	long i;

	for (i = 0; (l->calls == 0 || i < l->calls) && !l->stop; i++) {
		one_call(l, i, &out);
		if (*l->stop_file != '\0' && access(l->stop_file, F_OK) == 0)
			l->stop = true;
		if (l->pause > 0)
			usleep(l->pause);
	}
	if (out != NULL)
		tpfree(out);
	tpterm();
	return NULL;
}

static void print_load(const struct load *l)
{
	int i, n = 0;

	printf("{\"ok\":%ld,\"wrong\":%ld,\"max_ms\":%.1f,\"ms\":%.1f,"
	       "\"errors\":{",
	       l->ok, l->wrong, (double)l->max_us / 1e3, now_ms() - l->t0);
	for (i = 1; i <= TPMAXVAL; i++)
		if (l->errors[i] != 0)
			printf("%s\"%s\":%ld", n++ ? "," : "", error_name(i),
			       l->errors[i]);
	printf("}}\n");
}

static void run_threads(struct load *l, long n, void *(*fn)(void *))
{
	pthread_t *t = calloc((size_t)n, sizeof(*t));
	pthread_attr_t attr;
	long i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 20);
	l->t0 = now_ms();
	for (i = 0; i < n; i++)
		if (pthread_create(&t[i], &attr, fn, l) != 0)
			abort();
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	pthread_attr_destroy(&attr);
	free(t);
}

/* calls SVC N THREADS SIZE STOPFILE PAUSE: N calls per thread; 0: until the
 * file exists; PAUSE us between two */
void do_calls(const struct words *w)
{
	struct load l = { .svc = word(w, 1, ""),
			  .calls = number(w, 2, 1),
			  .size = number(w, 4, 10),
			  .stop_file = word(w, 5, ""),
			  .pause = (useconds_t)number(w, 6, 0) };

	run_threads(&l, number(w, 3, 1), load_thread);
	print_load(&l);
}

/* churn SVC STOPFILE: contexts of one call each, one after the other, until the
 * file exists */
void do_churn(const struct words *w)
{
	struct load l = { .svc = word(w, 1, ""), .size = 10, .t0 = now_ms() };
	const char *stop = word(w, 2, "");
	char *out = NULL;
	long nr;

	for (nr = 0; access(stop, F_OK) != 0; nr++) {
		one_call(&l, nr, &out);
		tpterm();
	}
	if (out != NULL)
		tpfree(out);
	print_load(&l);
}

static void *context_thread(void *arg)
{
	struct load *l = arg;
	char *out = NULL;

	one_call(l, 0, &out);
	pthread_barrier_wait(l->meet);
	one_call(l, 1, &out);
	pthread_barrier_wait(l->meet);
	if (out != NULL)
		tpfree(out);
	tpterm();
	return NULL;
}

/* contexts SVC N: N threads that all have a mailbox at the same time */
void do_contexts(const struct words *w)
{
	struct load l = { .svc = word(w, 1, ""), .size = 20, .stop_file = "" };
	long n = number(w, 2, 1);
	pthread_barrier_t meet;

	pthread_barrier_init(&meet, NULL, (unsigned int)n);
	l.meet = &meet;
	run_threads(&l, n, context_thread);
	print_load(&l);
}

/* flood SVC FLAGS DATA [N]: tpacall() until it fails, or N times; `ret`: how
 * many were sent */
void do_flood(const struct words *w)
{
	long len, flags = flags_of(word(w, 2, "-"));
	char *data = make_data(word(w, 3, "-"), &len);
	long max = number(w, 4, 100000);
	double t = now_ms();
	int n = 0;

	while (n < max && tpacall((char *)word(w, 1, ""), data, len,
				     flags) >= 0)
		n++;
	answer_call(n, NULL, 0, t);
	if (data != NULL)
		tpfree(data);
}

/* spray SVC N [oneway]: calls, one-way ones and calls that are given up, or one-way
 * ones alone, with contents that can be checked (onlooker.c); `ret`: how many
 * were sent */
void do_spray(const struct words *w)
{
	char *svc = (char *)word(w, 1, ""), *data, name[32];
	long i, n = number(w, 2, 1), olen, cd;
	static char pad[3001];
	unsigned int seed = (unsigned int)getpid();
	double amount, t = now_ms();
	bool one_way = strcmp(word(w, 3, ""), "oneway") == 0;
	int sent = 0;

	memset(pad, 'p', sizeof(pad) - 1);
	for (i = 0; i < n; i++) {
		amount = rand_r(&seed) % 10000;
		snprintf(name, sizeof(name), "n%.0f", amount);
		pad[(long)amount % 3000] = '\0';
		data = tpalloc("UBF", NULL, 8192);
		if (data == NULL ||
		    Bchg((UBFH *)data, Bfldid("AMOUNT"), 0, (char *)&amount,
			 0) < 0 ||
		    Bchg((UBFH *)data, Bfldid("NAME"), 0, name, 0) < 0 ||
		    Bchg((UBFH *)data, Bfldid("PAD"), 0, pad, 0) < 0)
			break;
		pad[(long)amount % 3000] = 'p';
		if (one_way) {
			sent += tpacall(svc, data, 0,
					TPNOREPLY | TPNOBLOCK) == 0;
		} else if (rand_r(&seed) % 3 == 0) {
			sent += tpcall(svc, data, 0, &data, &olen, 0) >= 0;
		} else {
			cd = tpacall(svc, data, 0, rand_r(&seed) % 2
						       ? TPNOREPLY : 0);
			sent += cd >= 0;
			if (cd > 0)
				tpcancel((int)cd);
		}
		tpfree(data);
	}
	answer_call(sent, NULL, 0, t);
}

/* many SVC N any|each: N outstanding calls, then N replies, each its own */
void do_many(const struct words *w)
{
	const char *svc = word(w, 1, "");
	long i, n = number(w, 2, 1), right = 0, olen = 0;
	long any = strcmp(word(w, 3, "any"), "any") == 0 ? TPGETANY : 0;
	int *cds = calloc((size_t)n, sizeof(*cds));
	char *data = tpalloc("STRING", NULL, 64), *out = NULL;
	double t = now_ms();
	int cd, sent = 0, got = 0, err = 0;

	for (i = 0; i < n; i++) {
		sprintf(data, "number %ld", i);
		cds[i] = tpacall((char *)svc, data, 0, 0);
		sent += cds[i] > 0;
		if (cds[i] < 0)
			err = tperrno;
	}
	for (i = 0; i < sent; i++) {
		cd = cds[i];
		if (tpgetrply(&cd, &out, &olen, any) < 0) {
			err = tperrno;
			continue;
		}
		got++;
		long k = out != NULL ? strtol(out + 7, NULL, 10) : -1;
		right += k >= 0 && k < n && cds[k] == cd;
	}
	answer_text("{\"sent\":%d,\"got\":%d,\"right\":%ld,\"err\":\"%s\","
		    "\"ms\":%.1f}", sent, got, right, error_name(err),
		    now_ms() - t);
	free(cds);
	tpfree(data);
	if (out != NULL)
		tpfree(out);
}

/* tally SVC N oneway|call PAUSE_MS FLAGS: N requests with the texts 0 to N - 1, the
 * numbers of those that were refused, and with which error */
void do_tally(const struct words *w)
{
	bool oneway = strcmp(word(w, 3, ""), "oneway") == 0;
	long i, n = number(w, 2, 1), olen, errors[TPMAXVAL + 1] = { 0 };
	long flags = flags_of(word(w, 5, "-")) | (oneway ? TPNOREPLY : 0);
	char *data = tpalloc("STRING", NULL, 64), *out = NULL, text[400];
	double t = now_ms();
	int r, e, len;

	for (i = 0; i < n; i++) {
		sprintf(data, "%ld", i);
		if (oneway)
			r = tpacall((char *)word(w, 1, ""), data, 0, flags);
		else
			r = tpcall((char *)word(w, 1, ""), data, 0, &out,
				   &olen, flags);
		if (r < 0 && tperrno > 0 && tperrno <= TPMAXVAL)
			errors[tperrno]++;
		usleep((useconds_t)number(w, 4, 0) * 1000);
	}
	for (len = 0, e = 1; e <= TPMAXVAL; e++) {
		n -= errors[e];
		if (errors[e] > 0)
			len += snprintf(text + len, sizeof(text) - (size_t)len,
					"%s\"%s\":%ld", len > 0 ? "," : "",
					error_name(e), errors[e]);
	}
	text[len] = '\0';
	answer_text("{\"accepted\":%ld,\"refused\":{%s},\"ms\":%.1f}", n,
		    text, now_ms() - t);
	tpfree(data);
	if (out != NULL)
		tpfree(out);
}
