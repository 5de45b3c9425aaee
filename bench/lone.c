/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lone.c - make and remove a domain without servers
 */
#include "bench/lone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/transport/transport.h"
#include "libatmi/member/reap.h"
#include "libatmi/member/join.h"

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

/* 0, OW_QUEUE_LIMIT, or -errno; a queue shallower than wanted is removed. */
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

int ow_lone_send(struct ow_domain *d, struct ow_queue *q, const void *bytes,
		 size_t len, unsigned int prio, uint64_t deadline)
{
	union ow_envelope_memory room;
	struct ow_envelope e;

	room.head = (struct ow_msg){ .magic = OW_MSG_MAGIC,
				     .version = OW_MSG_VERSION,
				     .kind = OW_MSG_REQUEST,
				     .buftype = OW_BUF_CARRAY,
				     .len = len };
	memcpy(room.bytes + sizeof(room.head), bytes, len);
	ow_envelope_init(&e, &room, sizeof(room), d->blocks);
	return ow_queue_send(q, &e, prio, deadline);
}

int ow_lone_recv(struct ow_domain *d, struct ow_queue *q, void *buf,
		 size_t size, uint64_t deadline)
{
	union ow_envelope_memory room;
	struct ow_envelope e;
	int r;

	ow_envelope_init(&e, &room, sizeof(room), d->blocks);
	r = ow_queue_recv(q, &e, deadline);
	if (r != 0)
		return r;
	memcpy(buf, e.payload.data,
	       e.payload.len < size ? e.payload.len : size);
	ow_envelope_close(&e);
	return 0;
}

void ow_lone_close(struct ow_domain *d, struct ow_queue *q)
{
	ow_queue_close(q);
	ow_queue_remove(d, OW_LONE_QUEUE);
	ow_reap_domain(d);
	ow_domain_leave(d);
}
