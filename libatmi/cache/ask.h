/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h - what a context knows of a cached service, and the call in hand
 *
 * The memory for keys and replies belongs to the context: a thread may be
 * cancelled while it waits for a reply.
 */
#ifndef OW_CACHE_ASK_H
#define OW_CACHE_ASK_H

#include "libatmi/cache/cache.h"
#include "libatmi/cache/key.h"
#include "libatmi/domain/tables.h"

struct ow_cache_ask {
	char service[OW_SVC_NAME]; /* the last one; "": none */
	uint32_t row, seq;
	struct ow_cache_settings settings;
	struct ow_cache_fields fields;
	/* of the call in hand */
	struct ow_cache_bytes bytes;
	struct ow_cache_key key;
	struct ow_cache_memory room;
	struct ow_cache_reply reply; /* in `room` */
};

/* A call that is out, whose reply is to be kept. */
struct ow_cache_wish {
	struct ow_cache_key key; /* its bytes follow this struct */
	uint64_t expires_ns;
};

/* Know the settings of the service, and set the epoch of the key: 0; ABSENT: it
 * is not cached now. */
int ow_cache_ask_learn(struct ow_domain *d, struct ow_cache_ask *k,
		       const char *service);
/* The key is complete in `bytes`. */
void ow_cache_ask_key(struct ow_cache_ask *k);
/* The call has ended: give large memory back. */
void ow_cache_ask_end(struct ow_cache_ask *k);
struct ow_cache_ask *ow_cache_ask_free(struct ow_cache_ask *k);
/* The call in hand, begun at begin_ns, goes on without the context waiting for
 * it. NULL: no memory, nothing will be kept. */
struct ow_cache_wish *ow_cache_wish_new(const struct ow_cache_ask *k,
					uint64_t begin_ns);
struct ow_cache_wish *ow_cache_wish_free(struct ow_cache_wish *w);

#endif
