/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workbare.c - services of a known length behind bare queues, as a reference
 *
 *	workbare MODE KIND SERVERS CALLERS SECONDS
 *
 * MODE is a kind of queue (baseline.c); replies of POSIX queues go by a pipe
 * for each caller. KIND: work.h. The result is one JSON object on standard
 * output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/bare.h"
#include "bench/work.h"

static void serve(const struct bare_job *j, struct bare_message *m)
{
	struct work_order o;

	(void)j;
	memcpy(&o, m->data, sizeof(o));
	work_do(&o);
	memcpy(m->data, &o, sizeof(o));
}

static int call(void *self, long thread, struct work_order *o)
{
	const struct bare_run *r = self;
	struct bare_message m = { .client = (int)thread };

	memcpy(m.data, o, sizeof(*o));
	r->ops->call(r->bare, &m);
	memcpy(o, m.data, sizeof(*o));
	return 0;
}

/* Two descriptors for each caller. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	struct bare_run r = { .job = { .size = 64, .pipes = true,
				       .work = serve } };
	struct work_crowd crowd = { .call = call, .self = &r };
	int status;

	if (argc == 6) {
		r.job.mode = argv[1];
		r.ops = ow_bare_of(argv[1]);
		crowd.kind = argv[2];
		r.job.servers = atol(argv[3]);
		r.job.clients = crowd.threads = atol(argv[4]);
		crowd.seconds = atof(argv[5]);
	}
	if (r.ops == NULL || !work_known(crowd.kind) || r.job.servers < 1 ||
	    r.job.servers > BARE_SERVERS_MAX || crowd.threads < 1 ||
	    crowd.threads > BARE_CLIENTS_MAX || crowd.seconds <= 0) {
		fprintf(stderr, "usage: workbare excl|bell|herd|block|shm "
				"burnN|sleepN|net|mixed SERVERS CALLERS "
				"SECONDS\n");
		return 2;
	}
	raise_descriptors();
	ow_bare_start(&r);
	status = work_run(&crowd);
	ow_bare_stop(&r);
	return status;
}
