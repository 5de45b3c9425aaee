/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lone.c - make and remove a domain without servers
 */
#include "bench/lone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/transport/queue.h"
#include "libatmi/member/reap.h"

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(2);
}

struct ow_domain *ow_lone_open(void)
{
	struct ow_domain *d = NULL;
	char why[512] = "";

	if (ow_domain_join(true, &d, why, sizeof(why)) != 0)
		fail("domain", why);
	return d;
}

/* 0, OW_QUEUE_LIMIT, or -errno; a queue that became shallower than wished
 * was refused. */
static int try_depth(struct ow_domain *d, uint32_t depth, uint32_t msgsize,
		     struct ow_queue **ret)
{
	struct ow_queue_shape shape = { .maxmsg = depth, .msgsize = msgsize };
	int r = ow_queue_create(d, OW_LONE_QUEUE, &shape, ret);

	if (r != 0 || shape.maxmsg >= depth)
		return r;
	*ret = ow_queue_close(*ret);
	ow_queue_remove(d, OW_LONE_QUEUE);
	return OW_QUEUE_LIMIT;
}

struct ow_queue *ow_lone_queue(struct ow_domain *d, uint32_t depth,
			       uint32_t msgsize, uint32_t *ret_depth)
{
	struct ow_queue *q = NULL;
	int r = OW_QUEUE_LIMIT;

	for (; depth > 0; depth = depth > 64 ? depth / 8 * 7 : depth - 1) {
		r = try_depth(d, depth, msgsize, &q);
		if (r == 0) {
			*ret_depth = depth;
			return q;
		}
		if (r < 0)
			break;
	}
	ow_lone_close(d, NULL);
	fail("queue", r < 0 ? strerror(-r) : "the limits allow none");
}

void ow_lone_close(struct ow_domain *d, struct ow_queue *q)
{
	ow_queue_close(q);
	ow_queue_remove(d, OW_LONE_QUEUE);
	ow_reap_domain(d);
	ow_domain_leave(d);
}
