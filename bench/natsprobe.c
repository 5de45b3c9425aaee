/* SPDX-License-Identifier: Apache-2.0 */
/*
 * natsprobe.c - requests and replies of bare libnats, to compare bridges with
 *
 *	natsprobe URL THREADS CALLS BYTES [oneway | queues]
 *
 * A process with a queue group answers; THREADS threads of another one, which
 * share a connection as the callers of a bridge do, have one request out each.
 * `oneway`: messages without a reply; `queues`: those through a POSIX message
 * queue on each side (natsprobe_queues.c). The result is one JSON object.
 */
#include <nats/nats.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/hist.h"
#include "bench/natsprobe.h"
#include "libatmi/base/clock.h"

#define ENOUGH_MS 10000

struct probe {
	const char *url;
	long threads, calls, size;
	int oneway;
	natsConnection *c;
};

struct caller {
	struct probe *p;
	pthread_t thread;
	struct ow_hist hist;
	long failed;
};

static atomic_long taken;

natsConnection *ow_probe_connect(const char *url)
{
	natsConnection *c = NULL;
	natsOptions *o = NULL;
	natsStatus s = natsOptions_Create(&o);

	if (s == NATS_OK)
		s = natsOptions_SetURL(o, url);
	if (s == NATS_OK)
		s = natsOptions_SetSendAsap(o, true);
	if (s == NATS_OK)
		s = natsConnection_Connect(&c, o);
	natsOptions_Destroy(o);
	if (s == NATS_OK)
		return c;
	fprintf(stderr, "natsprobe: %s: %s\n", url, natsStatus_GetText(s));
	exit(1);
}

static void on_request(natsConnection *c, natsSubscription *sub, natsMsg *m,
		       void *arg)
{
	(void)sub;
	(void)arg;
	if (natsMsg_GetReply(m) != NULL)
		natsConnection_Publish(c, natsMsg_GetReply(m),
				       natsMsg_GetData(m),
				       natsMsg_GetDataLength(m));
	else
		atomic_fetch_add(&taken, 1);
	natsMsg_Destroy(m);
}

/* Of one-way messages: say when all have come. */
static void answer_count(natsConnection *c, natsSubscription *sub, natsMsg *m,
			 void *arg)
{
	char text[32];

	(void)sub;
	(void)arg;
	snprintf(text, sizeof(text), "%ld", atomic_load(&taken));
	natsConnection_PublishString(c, natsMsg_GetReply(m), text);
	natsMsg_Destroy(m);
}

static void serve(const struct probe *p, int ready)
{
	natsSubscription *sub = NULL, *count = NULL;
	natsConnection *c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	c = ow_probe_connect(p->url);
	if (natsConnection_QueueSubscribe(&sub, c, OW_PROBE_SUBJECT, "q",
					  on_request, NULL) != NATS_OK ||
	    natsConnection_Subscribe(&count, c, OW_PROBE_SUBJECT ".count",
				     answer_count, NULL) != NATS_OK ||
	    natsSubscription_SetPendingLimits(sub, -1, -1) != NATS_OK ||
	    natsConnection_Flush(c) != NATS_OK)
		exit(1);
	(void)!write(ready, "r", 1);
	for (;;)
		pause();
}

static void *call(void *arg)
{
	struct caller *me = arg;
	struct probe *p = me->p;
	char *data = calloc(1, (size_t)p->size + 1);
	long i, n = p->calls / p->threads;
	natsMsg *reply = NULL;
	uint64_t t;

	for (i = 0; i < n; i++) {
		t = ow_clock_mono_ns();
		if (p->oneway) {
			me->failed +=
				natsConnection_Publish(p->c, OW_PROBE_SUBJECT,
						       data, (int)p->size) !=
				NATS_OK;
			continue;
		}
		if (natsConnection_Request(&reply, p->c, OW_PROBE_SUBJECT, data,
					   (int)p->size, ENOUGH_MS) == NATS_OK)
			natsMsg_Destroy(reply);
		else
			me->failed++;
		ow_hist_add(&me->hist, ow_clock_mono_ns() - t);
	}
	free(data);
	return NULL;
}

static long arrived(struct probe *p)
{
	natsMsg *reply = NULL;
	long n = 0;

	if (natsConnection_RequestString(&reply, p->c,
					 OW_PROBE_SUBJECT ".count", "?",
					 ENOUGH_MS) == NATS_OK)
		n = strtol(natsMsg_GetData(reply), NULL, 10);
	natsMsg_Destroy(reply);
	return n;
}

static void measure(struct probe *p)
{
	struct caller *c = calloc((size_t)p->threads, sizeof(*c));
	long i, failed = 0, n = p->calls / p->threads * p->threads;
	static struct ow_hist all;
	uint64_t t;

	p->c = ow_probe_connect(p->url);
	t = ow_clock_mono_ns();
	for (i = 0; i < p->threads; i++) {
		c[i].p = p;
		pthread_create(&c[i].thread, NULL, call, &c[i]);
	}
	for (i = 0; i < p->threads; i++) {
		pthread_join(c[i].thread, NULL);
		ow_hist_merge(&all, &c[i].hist);
		failed += c[i].failed;
	}
	while (p->oneway && failed == 0 && arrived(p) < n)
		;
	t = ow_clock_mono_ns() - t;
	printf("{\"calls_per_s\":%.0f,\"p50_us\":%.1f,\"p99_us\":%.1f,"
	       "\"failed\":%ld}\n", (double)n * 1e9 / (double)t,
	       ow_hist_quantile(&all, 0.5) / 1e3,
	       ow_hist_quantile(&all, 0.99) / 1e3, failed);
	free(c);
}

int main(int argc, char **argv)
{
	struct probe p = { 0 };
	char ready;
	int fd[2];
	pid_t pid;

	if (argc < 5 || pipe(fd) != 0) {
		fputs("natsprobe URL THREADS CALLS BYTES [oneway | queues]\n",
		      stderr);
		return 2;
	}
	p.url = argv[1];
	p.threads = strtol(argv[2], NULL, 10);
	p.calls = strtol(argv[3], NULL, 10);
	p.size = strtol(argv[4], NULL, 10);
	if (argc > 5 && strcmp(argv[5], "queues") == 0)
		return ow_probe_queues(p.url, p.threads, p.calls, p.size);
	p.oneway = argc > 5;
	pid = fork();
	if (pid == 0)
		serve(&p, fd[1]);
	close(fd[1]);
	if (pid < 0 || read(fd[0], &ready, 1) != 1)
		return 1;
	measure(&p);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
