/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - a server whose services are functions of Go
 *
 * Services return (no longjmp() goes through frames of Go), and may run in
 * dispatch threads: the library starts as many as it is told.
 */
#include "inside.h"

#include <ndebug.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "_cgo_export.h"

static int init(int argc, char **argv, void *data)
{
	(void)argc;
	(void)argv;
	(void)data;
	return goServerInit();
}

static void done(void *data)
{
	(void)data;
	goServerDone();
}

static int tick(void *data)
{
	(void)data;
	goServerTick();
	return 0;
}

int gow_period(int seconds)
{
	return tpext_addperiod_cb(seconds, tick, NULL);
}

/* ---- a request ---- */

/* What the requests of a thread have used is there for the next one. */
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void forget(void *p)
{
	struct gow_served *s = p;

	free(s->get);
	free(s->put);
	free(s->start);
	free(s);
}

static void make_key(void)
{
	pthread_key_create(&key, forget);
}

static struct gow_served *of_thread(void)
{
	static __thread struct gow_served *mine;

	if (mine == NULL) {
		pthread_once(&once, make_key);
		mine = calloc(1, sizeof(*mine));
		pthread_setspecific(key, mine);
	}
	return mine;
}

static int takes(char *data, int kind)
{
	return data != NULL && (kind == GOW_UBF || kind == GOW_UBF_OF_JSON) &&
	       gow_is_ubf(data);
}

static void end(char *data, long len, int fails, long urcode, long flags,
		const char *forward)
{
	if (forward != NULL)
		tpforward((char *)forward, data, len, 0);
	else
		tpreturn(fails ? TPFAIL : TPSUCCESS, urcode, data, len, flags);
}

/* The reply, in the buffer of the request where it fits. */
static void answer(char *data, struct gow_served *s)
{
	struct gow_out why;

	if (!takes(data, s->in.kind))
		data = NULL;
	gow_clear(&why);
	if (gow_fill(&data, &s->put, &s->alloc_put, s->in, &why) == 0)
		end(data, s->in.len, s->how == GOW_FAIL, s->urcode, s->flags,
		    s->how == GOW_FORWARD ? s->forward : NULL);
	else
		TP_LOG(log_error, "no reply: %s", why.text);
}

long gow_coarse(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void serve(TPSVCINFO *info, void *number)
{
	struct gow_served *s = of_thread();

	if (s == NULL)
		return;
	gow_clear(&s->out);
	gow_look_into(info->data, info->len, &s->out, &s->get, &s->alloc_get);
	s->how = GOW_NO_REPLY;
	s->urcode = s->flags = 0;
	s->left = tptimeleft();
	s->since = gow_coarse();
	s->trace = gow_trace_in_hand();
	goServe((uintptr_t)number, info, s);
	if (s->how != GOW_NO_REPLY)
		answer(info->data, s);
}

/* ---- conversations ---- */

int gow_serve_send(int cd, struct gow_served *s, long flags,
		   struct gow_out *out)
{
	char *data = NULL;
	int r;

	gow_clear(out);
	r = gow_fill(&data, &s->put, &s->alloc_put, s->in, out);
	if (r == 0 && tpsend(cd, data, s->in.len, flags | TPSIGRSTRT,
			     &out->event) != 0)
		r = gow_fail(out);
	tpfree(data);
	return r;
}

int gow_serve_recv(int cd, struct gow_out *out)
{
	char *buf = NULL;
	long len = 0, event = 0;
	int r;

	gow_clear(out);
	r = tprecv(cd, &buf, &len, TPSIGRSTRT, &event);
	if (r != 0)
		gow_fail(out);
	out->urcode = tpurcode;
	out->event = event;
	gow_look_apart(buf, len, out);
	return r;
}

/* ---- the server ---- */

int gow_serve(int argc, char **argv)
{
	struct tpserver server = { .init = init,
				   .done = done,
				   .flags = TPSERVER_THREADS };
	int r;

	r = tprunserver(argc, argv, &server);
	fflush(stdout); /* of --help; the exit of Go knows nothing of it */
	return r;
}

int gow_advertise(const char *svc, uintptr_t number, char text[GOW_TEXT])
{
	/* A number, not a pointer: Go's memory may move. */
	if (tpadvertise_cb((char *)svc, serve, (void *)number) == 0)
		return 0;
	tplasterror(text, GOW_TEXT, NULL);
	return -1;
}

int gow_answer(TPSVCINFO *info, struct gow_in in, int fails,
	       long urcode, long flags, const char *forward,
	       char text[GOW_TEXT])
{
	char *data = takes(info->data, in.kind) ? info->data : NULL;

	if (gow_make(&data, in, text) != 0)
		return -1;
	end(data, in.len, fails, urcode, flags, forward);
	return 0;
}

void gow_log(int level, const char *text)
{
	tplog(level, (char *)text);
}
