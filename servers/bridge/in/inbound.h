/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inbound.h - requests from other nodes are called here, replies go back
 */
#ifndef OW_BRIDGE_INBOUND_H
#define OW_BRIDGE_INBOUND_H

#include "servers/bridge/directory/directory.h"

struct ow_br_inbound;

/* Of the layers above. */
struct ow_br_inbound_above {
	void *arg;
	/* A whole CONNECT, with or without the lock of the peers. */
	void (*connect)(void *arg, const struct ow_br_frame *f,
			const char *payload, uint64_t cost,
			const struct ow_br_caller *caller);
	/* A request of `node`, which names a transaction of this node:
	 * `held` comes back by ow_br_request_held(). False: it cannot be asked
	 * for. May be called with the lock of the peers. */
	bool (*check)(void *arg, uint32_t node, const struct ow_br_frame *f,
		      void *held);
};

/* 0 or -errno. */
int ow_br_inbound_start(struct ow_br_directory *dir,
			const struct ow_br_inbound_above *above,
			struct ow_br_inbound **ret);
/* Wait until its thread has ended; free it when no message comes any more. */
void ow_br_inbound_stop(struct ow_br_inbound *in);
void ow_br_inbound_free(struct ow_br_inbound *in);
/* Has it nothing to do, and is no call of it out? */
bool ow_br_inbound_is_idle(struct ow_br_inbound *in);
/* For one other thread: which requests are out (listing.h). */
struct ow_br_listing *ow_br_inbound_listing(struct ow_br_inbound *in);
/* The requests of one message from `p`, on the delivery thread: it begins (lock
 * held); a request, or a part of one; it ends, and the thread has its requests
 * (no lock). */
void ow_br_requests_begin(struct ow_br_inbound *in, struct ow_br_peer *p);
void ow_br_request(struct ow_br_inbound *in, const struct ow_br_frame *f,
		   const char *payload);
void ow_br_requests_end(struct ow_br_inbound *in);

/* A request that was held back by check() comes to the thread: as it
 * is (0), or to be refused. No lock. */
void ow_br_request_held(struct ow_br_inbound *in, void *held, int tperr);

#endif
