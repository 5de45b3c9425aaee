/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.h - wait for replies, match them, hand them to the caller
 *
 * Station 8 of a call: after the server's tpreturn.c. A reply is matched by
 * slot, generation, descriptor and sequence; what nobody waits for is dropped
 * and counted. Replies of other calls are kept until they are asked for.
 */
#ifndef OW_REPLY_H
#define OW_REPLY_H

#include <stdint.h>

struct ow_ctx;

#pragma GCC visibility push(default)

/* Take in, without waiting, all replies that have come. 0 or -errno. */
int ow_reply_take_in(struct ow_ctx *c);
/*
 * Wait until the reply of `cd` (0: of any call) lies in c->rx; now_ns is a
 * recent reading of the monotonic clock. 0 with
 * *ret_cd; OW_QUEUE_TIMEOUT (nothing came; with OW_QUEUE_NOWAIT: EMPTY),
 * OW_QUEUE_SIGNAL, -errno.
 */
int ow_reply_wait(struct ow_ctx *c, int cd, uint64_t now_ns,
		  uint64_t deadline_ns, int *ret_cd);
/*
 * Hand the reply in c->rx to the caller and end its call: 0, or -1 with
 * tperrno. *data, *len as in tpgetrply().
 */
int ow_reply_deliver(struct ow_ctx *c, int cd, char **data, long *len,
		     long flags);

#pragma GCC visibility pop
#endif
