/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wake_queue.c - waiters on a queue of the project, as servers wait
 */
#include "bench/wake.h"

#include <errno.h>
#include <stdlib.h>

#include "bench/lone.h"
#include "libatmi/domain/domain.h"
#include "libatmi/transport/transport.h"
#include "libatmi/domain/tables.h"

#define DEPTH	10
#define MSGSIZE 256
#define TAG	1

struct source {
	struct ow_domain *d;
	struct ow_queue *q;
	struct ow_waitset *set; /* of a waiter */
};

static void *make(const struct ow_wake_job *j)
{
	struct source *s = calloc(1, sizeof(*s));
	uint32_t depth;

	if (s == NULL)
		ow_wake_die("memory");
	s->d = ow_lone_open();
	s->q = ow_lone_queue(s->d, DEPTH, MSGSIZE, &depth);
	return s;
}

/* A waiter has a server slot. A queue object belongs to one thread: each
 * waiter opens its own. */
static void open_waiter(void *source, long id)
{
	struct source *s = source;
	uint32_t srvid = (uint32_t)id + 1;
	int r;

	errno = EIO;
	if (ow_srv_take(s->d->tables, srvid, "wake") != 0 ||
	    ow_queue_open(s->d, OW_LONE_QUEUE, &s->q) != 0 ||
	    ow_waitset_open(s->d, srvid, &s->set) != 0)
		ow_wake_die("queue");
	if (ow_tables_lock(s->d->tables) != 0)
		ow_wake_die("lock");
	r = ow_waitset_add_queue(s->set, s->q, TAG);
	ow_tables_unlock(s->d->tables);
	if (r != 0)
		ow_wake_die("wait set");
}

static int wait_queue(void *source, uint64_t *ret_sent)
{
	struct source *s = source;
	uint64_t buf[MSGSIZE / sizeof(uint64_t)];
	uint32_t tag = 0;

	if (ow_waitset_wait(s->set, true, &tag, NULL) != 0 || tag != TAG ||
	    ow_lone_recv(s->d, s->q, buf, sizeof(buf), OW_DEADLINE_NOW) != 0)
		return 1;
	*ret_sent = buf[0];
	return 0;
}

static void send_queue(void *source, uint64_t now)
{
	struct source *s = source;

	errno = EIO;
	if (ow_lone_send(s->d, s->q, &now, sizeof(now), 50,
			 OW_DEADLINE_NEVER) != 0)
		ow_wake_die("send");
}

static void close_source(void *source)
{
	struct source *s = source;

	ow_lone_close(s->d, s->q);
	free(s);
}

const struct ow_wake_source ow_wake_queue = {
	.name = "queue",
	.make = make,
	.open_waiter = open_waiter,
	.wait = wait_queue,
	.send = send_queue,
	.close = close_source,
};
