/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exbenchcl.c - exbenchcl: call a service from many threads, and count
 *
 * Prints requests and calls per second; with -p a line "NAME" SIZE CALLS goes to
 * the file of plots, too. Exit status 0: every call succeeded; 1: some did
 * not; 2: wrong usage.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <atmi.h>
#include <nstdutil.h>
#include <ubf.h>

#include "libubf/base/about.h"

#define THREADS_MAX 1000
#define ROOM	    8192 /* of a buffer, beside its data */

struct job {
	const char *service, *json, *field, *space;
	long threads, seconds, size, services, requests;
	int timeout, plot, print, join;
};

struct worker {
	const struct job *job;
	pthread_t thread;
	long id, done, failed;
	int error; /* tperrno of the first failure */
};

static void usage(FILE *out)
{
	fputs("usage: exbenchcl [-n threads] [-s service] [-t seconds | "
	      "-R requests] [-S bytes]\n\t[-b json] [-f field] [-N services] "
	      "[-T timeout] [-I] [-p] [-P] [-Q space]\n"
	      "Call a service of exbenchsv, or any other, as often as it goes.\n"
	      "  -n threads   that call (1)\n"
	      "  -s service   its name (EXBENCH)\n"
	      "  -t seconds   how long (10)\n"
	      "  -R requests  calls of each thread, instead of -t\n"
	      "  -S bytes     of data (1024)\n"
	      "  -b json      a UBF buffer; the data goes into the field -f, if "
	      "given\n"
	      "  -N services  call SERVICE001 to SERVICE<N> in turn\n"
	      "  -T timeout   of a call, seconds\n"
	      "  -I           join before each call, and leave after it\n"
	      "  -p           add the result to $NDRX_BENCH_FILE as "
	      "$NDRX_BENCH_CONFIGNAME\n"
	      "  -P           print replies of UBF buffers\n"
	      "  -A, -E, -e, -F, -i are taken without effect, with a notice\n"
	      "  -Q space     put the request into the durable queue of that "
	      "name, take one from it\n",
	      out);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- one thread ---- */

/* The request: a UBF buffer with -b or -f, else a CARRAY. NULL: no. */
static char *make_request(const struct job *j, long *ret_len)
{
	char *p, *data = calloc(1, (size_t)j->size + 1);
	BFLDID id;

	*ret_len = 0;
	if (data == NULL)
		return NULL;
	if (j->json == NULL && j->field == NULL) {
		p = tpalloc("CARRAY", NULL, j->size > 0 ? j->size : 1);
		if (p != NULL)
			memcpy(p, data, (size_t)j->size);
		*ret_len = j->size;
		free(data);
		return p;
	}
	p = tpalloc("UBF", NULL, j->size + ROOM);
	id = j->field != NULL ? Bfldid((char *)j->field) : BBADFLDID;
	if (p != NULL &&
	    ((j->json != NULL && tpjsontoubf((UBFH *)(void *)p,
					     (char *)j->json) != 0) ||
	     (j->field != NULL && CBchg((UBFH *)(void *)p, id, 0, data,
					(BFLDLEN)j->size, BFLD_CARRAY) != 0))) {
		tpfree(p);
		p = NULL;
	}
	free(data);
	return p;
}

static void name_service(const struct worker *w, char *name, size_t size)
{
	const struct job *j = w->job;

	if (j->services <= 0)
		snprintf(name, size, "%s", j->service);
	else
		snprintf(name, size, "%s%03ld", j->service,
			 (w->id + w->done + w->failed) % j->services + 1);
}

/* Put the request into the durable queue, and take one from it: 0 or -1. */
static int queue(const struct job *j, char *name, char *request, long len,
		 char **reply)
{
	TPQCTL ctl;
	long got = 0;

	memset(&ctl, 0, sizeof(ctl));
	if (tpenqueue((char *)j->space, name, &ctl, request, len, 0) == -1)
		return -1;
	memset(&ctl, 0, sizeof(ctl));
	return tpdequeue((char *)j->space, name, &ctl, reply, &got, 0);
}

static void call(struct worker *w, char *request, long len, char **reply)
{
	const struct job *j = w->job;
	char name[XATMI_SERVICE_NAME_LENGTH + 1];
	long got = 0;

	name_service(w, name, sizeof(name));
	if (j->timeout > 0)
		tptoutset(j->timeout);
	if ((j->space != NULL ? queue(j, name, request, len, reply)
			      : tpcall(name, request, len, reply, &got, 0)) ==
	    -1) {
		if (w->failed++ == 0)
			w->error = tperrno;
	} else {
		w->done++;
		if (j->print && (j->json != NULL || j->field != NULL))
			Bprint((UBFH *)(void *)*reply);
	}
	if (j->join)
		tpterm();
}

static void *work(void *arg)
{
	struct worker *w = arg;
	const struct job *j = w->job;
	double end = now() + (double)j->seconds;
	long len;
	char *request = make_request(j, &len);
	char *reply = tpalloc(len > 0 ? "CARRAY" : "UBF", NULL, ROOM);

	if (request == NULL || reply == NULL) {
		w->failed++;
		w->error = tperrno;
	} else {
		while (j->requests > 0 ? w->done + w->failed < j->requests
				       : now() < end)
			call(w, request, len, &reply);
	}
	tpfree(request);
	tpfree(reply);
	tpterm();
	return NULL;
}

/* ---- all of them ---- */

static int measure(const struct job *j)
{
	struct worker *all = calloc((size_t)j->threads, sizeof(*all));
	long i, started, done = 0, failed = 0;
	double begin = now(), seconds;
	int error = 0;

	if (all == NULL)
		return 1;
	for (started = 0; started < j->threads; started++) {
		all[started].job = j;
		all[started].id = started;
		if (pthread_create(&all[started].thread, NULL, work,
				   &all[started]) != 0)
			break;
	}
	for (i = 0; i < started; i++) {
		pthread_join(all[i].thread, NULL);
		done += all[i].done;
		failed += all[i].failed;
		error = error != 0 ? error : all[i].error;
	}
	free(all);
	seconds = now() - begin;
	printf("%ld requests, %ld failed, %.1f s: %.0f calls/s\n", done, failed,
	       seconds, (double)done / seconds);
	if (failed > 0)
		fprintf(stderr, "exbenchcl: %s: %s\n", j->service,
			error != 0 ? tpstrerror(error) : "wrong -b or -f");
	if (j->plot && ndrx_bench_write_stats((double)j->size,
					      (double)done / seconds) != 0)
		return 1;
	return failed > 0 || started < j->threads;
}

/* ---- options ---- */

static long number(const char *text, long least, long most)
{
	char *end;
	long n = strtol(text, &end, 10);

	return *text == '\0' || *end != '\0' || n < least || n > most ? -1
								      : n;
}

/* 0, or -1. */
static int take(struct job *j, int c)
{
	switch (c) {
	case 's':
		j->service = optarg;
		return 0;
	case 'b':
		j->json = optarg;
		return 0;
	case 'f':
		j->field = optarg;
		return 0;
	case 'n':
		j->threads = number(optarg, 1, THREADS_MAX);
		return 0;
	case 't':
		j->seconds = number(optarg, 1, 1000000);
		return 0;
	case 'S':
		j->size = number(optarg, 0, 1L << 28);
		return 0;
	case 'N':
		j->services = number(optarg, 1, 999);
		return 0;
	case 'R':
		j->requests = number(optarg, 1, 1L << 40);
		return 0;
	case 'T':
		j->timeout = (int)number(optarg, 1, 1000000);
		return 0;
	case 'I':
		j->join = 1;
		return 0;
	case 'p':
		j->plot = 1;
		return 0;
	case 'P':
		j->print = 1;
		return 0;
	case 'Q':
		j->space = optarg;
		return 0;
	case '?':
		return -1;
	default:
		fprintf(stderr, "exbenchcl: -%c: taken without effect\n", c);
		return 0;
	}
}

int main(int argc, char **argv)
{
	struct job j = { .service = "EXBENCH", .threads = 1, .seconds = 10,
			 .size = 1024 };
	int c;

	if (ow_about_printed(argc, argv, "exbenchcl", usage))
		return 0;
	while ((c = getopt(argc, argv, "n:s:t:b:S:f:FN:Q:AER:T:IiepPh")) != -1) {
		if (c == 'h') {
			usage(stdout);
			return 0;
		}
		if (take(&j, c) != 0)
			break;
	}
	if (c != -1 || optind < argc || j.threads < 0 || j.seconds < 0 ||
	    j.size < 0 || j.services < 0 || j.requests < 0 || j.timeout < 0) {
		usage(stderr);
		return 2;
	}
	/* Each thread is a client, in strict-tuxedo, too. */
	tpfreectxt(tpnewctxt(0, 0));
	return measure(&j);
}
