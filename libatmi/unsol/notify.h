/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify.h - send an unsolicited message to a context
 *
 * For tpnotify(), tpbroadcast() and the delivery of events.
 */
#ifndef OW_NOTIFY_H
#define OW_NOTIFY_H

#include <stdint.h>
#include <xatmi.h>

struct ow_content;
struct ow_ctx;

/* The receiver: a client slot and its generation. */
struct ow_receiver {
	uint32_t slot, gen;
};

enum ow_notify_result {
	OW_NOTIFY_GONE = 1, /* the receiver has left */
	OW_NOTIFY_FULL,	    /* its inbox is full, and the deadline is NOW */
	OW_NOTIFY_TIMEOUT,  /* it stayed full */
	OW_NOTIFY_SIGNAL,   /* a signal handler has run meanwhile */
	OW_NOTIFY_NOROOM,   /* no shared memory for the message */
};

/*
 * Send `k` before the deadline; waits while the inbox is full. 0: sent, or the
 * receiver wants no messages; a result; -errno. `flags`: TPSIGRSTRT.
 */
int ow_notify(struct ow_ctx *c, struct ow_receiver to,
	      const struct ow_content *k, uint64_t deadline, long flags);

/* The other node of which the client is, if it is one that a bridge may know;
 * 0: of this one, or it is no id. */
uint32_t ow_notify_node(const struct ow_ctx *c, const CLIENTID *id);
/* The receiver that an id names: 0; -EINVAL, it is no id; -ENOENT, it is of
 * another node, or has left. */
int ow_notify_find(const struct ow_ctx *c, const CLIENTID *id,
		   struct ow_receiver *ret);
#endif
