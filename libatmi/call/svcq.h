/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svcq.h - from a service's name to its open queue
 *
 * Station 2 of a call: after tpcall.c, before request.c. The queue is kept per
 * context; one load of the service's generation tells whether it still
 * holds.
 */
#ifndef OW_SVCQ_H
#define OW_SVCQ_H

#include <stdbool.h>
#include <stdint.h>
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct ow_ctx;
struct ow_queue;

/* A service as this context knows it. */
struct ow_svcq {
	struct ow_queue *queue; /* NULL: not open */
	uint32_t svc;		/* index in the table */
	uint32_t gen;		/* of the open queue */
	char name[32];
	UT_hash_handle hh;
};

enum ow_svcq_result {
	OW_SVCQ_ABSENT = 1, /* nobody advertises it */
};

#pragma GCC visibility push(default)

/* The queue of service `name`, open; *ret is valid until the next call.
 * ABSENT or -errno. */
int ow_svcq_find(struct ow_ctx *c, const char *name, struct ow_svcq **ret);
/* After a send: is the queue it went into still the service's? */
bool ow_svcq_current(const struct ow_ctx *c, const struct ow_svcq *s);
/* Messages in these queues may have been forgotten: see ow_queue_nudge(). */
void ow_svcq_nudge(struct ow_ctx *c);
void ow_svcq_close_all(struct ow_ctx *c);

#pragma GCC visibility pop
#endif
