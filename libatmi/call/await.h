/* SPDX-License-Identifier: Apache-2.0 */
/*
 * await.h - wait for the reply to a call
 *
 * Station 8 of a call: after the server's tpreturn.c. A reply is matched by
 * slot, generation, descriptor and sequence; a reply for which no call waits
 * is dropped and counted. Replies of other calls are kept until the program
 * fetches them.
 */
#ifndef OW_AWAIT_H
#define OW_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

struct ow_ctx;
struct ow_envelope;
struct ow_conv;

/* Keep, without waiting, all messages that have come. 0 or -errno. */
int ow_await_take_in(struct ow_ctx *c);
/*
 * Wait for one message until the time `until`. It goes to the call or
 * conversation to which it belongs; if that is conversation `conv`, and nothing
 * is kept before it, it stays in c->in, and *ret_direct is true. 0; TIMEOUT
 * (EMPTY), SIGNAL, -errno.
 */
int ow_await_message(struct ow_ctx *c, uint64_t until,
		     const struct ow_conv *conv, bool *ret_direct);
/*
 * Wait for the reply of `cd` (0: of any call); now_ns is a recent reading of
 * the clock. 0 with *ret_cd and the reply in *ret, which is the context's:
 * valid until its call is dropped or the next reply is received. TIMEOUT
 * (with OW_DEADLINE_NOW: EMPTY), SIGNAL, -errno. Where threads share the context:
 * OW_SHARE_GONE, another one has cancelled the call, or ended its transaction:
 * `cd` may be another call's; -ECANCELED, another one ends the context.
 */
int ow_await_reply(struct ow_ctx *c, int cd, uint64_t now_ns,
		   uint64_t deadline, int *ret_cd, struct ow_envelope **ret);

#endif
