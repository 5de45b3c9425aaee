/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svcq.h - from a service's name to its open queue
 *
 * Station 2 of a call: asked by target.h, before request.c. Each context keeps
 * the queues it has used open; one load of the service's generation says
 * whether an open queue is still the service's.
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
	uint32_t via; /* of the service whose queue it is: often the same */
	uint32_t gen;		/* of the open queue */
	char name[32];
	UT_hash_handle hh;
};

enum ow_svcq_result {
	OW_SVCQ_ABSENT = 1, /* no server advertises the service */
	OW_SVCQ_SUSPENDED,  /* an operator has suspended it, or drains it */
	OW_SVCQ_ROUTED,	    /* the data choose the service: routed.h */
	OW_SVCQ_CACHED,	    /* a kept reply may do: cached.h */
	OW_SVCQ_DURABLE,    /* one-way calls are stored: stored.h */
};

/* The queue of service `name`, open; *ret is valid until the next call.
 * DURABLE, ABSENT, SUSPENDED, CACHED, ROUTED or -errno. */
int ow_svcq_find(struct ow_ctx *c, const char *name, struct ow_svcq **ret);
/* The same, whether or not the service has some marks: bits of enum
 * ow_svc_mark (tables.h). */
int ow_svcq_find_despite(struct ow_ctx *c, const char *name, uint8_t marks,
			 struct ow_svcq **ret);
/* Is the open queue still the service's? */
bool ow_svcq_current(const struct ow_ctx *c, const struct ow_svcq *s);
/* Has it servers, of this node or another? Else it awaits them. */
bool ow_svcq_is_served(const struct ow_ctx *c, const struct ow_svcq *s);
/* Nudge the queues of all services that this context has called. */
void ow_svcq_nudge(struct ow_ctx *c);
void ow_svcq_close_all(struct ow_ctx *c);

#endif
