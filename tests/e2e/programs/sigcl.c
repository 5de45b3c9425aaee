/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigcl.c - a client whose thread is hit by signals while it calls
 *
 *	sigcl HOW CALLS SERVICE TEXT
 *
 * As runtimes of languages do that stop their threads by SIGURG: a handler with
 * SA_RESTART, a signal each 100 us. HOW: plain (tpcall), object (Otpcall),
 * restart (tpcall after tpsetsigrstrt(TPSIG_RESTART)), end (Otpcall after
 * TPSIG_END), get (tpacall and tpgetrply). It goes on until there was a
 * signal. Prints one line of JSON.
 */
#include <oatmi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tpbind.h>
#include <unistd.h>

#include "common.h"

static atomic_bool over;
static atomic_long handled;

static void on_signal(int sig)
{
	(void)sig;
	handled++;
}

static void *fires(void *target)
{
	while (!over) {
		pthread_kill(*(pthread_t *)target, SIGURG);
		usleep(100);
	}
	return NULL;
}

/* One call: 0 or tperrno. */
static int call(const char *how, TPCONTEXT_T *ctxt, char *svc, char *data)
{
	char *out = NULL;
	long len;
	int r, cd, err;

	if (strcmp(how, "object") == 0 || strcmp(how, "end") == 0) {
		r = Otpcall(ctxt, svc, data, 0, &out, &len, 0);
		err = r == 0 ? 0 : Otperrno(ctxt);
	} else if (strcmp(how, "get") == 0) {
		cd = tpacall(svc, data, 0, 0);
		r = cd < 0 ? -1 : tpgetrply(&cd, &out, &len, 0);
		err = r == 0 ? 0 : tperrno;
	} else {
		r = tpcall(svc, data, 0, &out, &len, 0);
		err = r == 0 ? 0 : tperrno;
	}
	tpfree(out);
	return err;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal,
				.sa_flags = SA_RESTART };
	const char *how = argc > 1 ? argv[1] : "plain";
	long n = argc > 2 ? atol(argv[2]) : 1000, good = 0, cut = 0, bad = 0;
	long calls = 0;
	TPCONTEXT_T ctxt = tpnewctxt(0, 0);
	char *data = tpalloc("STRING", NULL, 8);
	pthread_t self = pthread_self(), t;
	int err;

	snprintf(data, 8, "%s", argc > 4 ? argv[4] : "hello");
	if (strcmp(how, "restart") == 0)
		tpsetsigrstrt(TPSIG_RESTART);
	if (strcmp(how, "end") == 0)
		Otpsetsigrstrt(&ctxt, TPSIG_END);
	sigaction(SIGURG, &sa, NULL);
	pthread_create(&t, NULL, fires, &self);
	/* At least one call is hit, however late the other thread comes. */
	for (; calls < n || handled == 0; calls++) {
		err = call(how, &ctxt, argc > 3 ? argv[3] : "ECHO", data);
		good += err == 0;
		cut += err == TPGOTSIG;
		bad += err != 0 && err != TPGOTSIG;
	}
	over = true;
	pthread_join(t, NULL);
	printf("{\"calls\":%ld,\"good\":%ld,\"cut\":%ld,\"bad\":%ld,"
	       "\"signals\":%ld}\n", calls, good, cut, bad, (long)handled);
	return 0;
}
