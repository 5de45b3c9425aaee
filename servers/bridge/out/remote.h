/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h - a request of this node goes to another one
 */
#ifndef OW_BRIDGE_REMOTE_H
#define OW_BRIDGE_REMOTE_H

#include <xatmi.h>

#include "servers/bridge/out/calls.h"

struct ow_msg;

/* The function of all services that other nodes offer. It sends the request on,
 * and returns: its reply is the caller's answer. */
void ow_br_remote(TPSVCINFO *svc);

/* The calls of this process, for service functions. */
struct ow_br_calls *ow_br_self(void);
void ow_br_set_self(struct ow_br_calls *cs);
/* On the main thread: a request with `len` bytes has joined those that wait to
 * be sent. A one-way call, for which nobody waits, goes with those behind it in
 * the queue, up to a batch. Should another bridge take them, the clock sends
 * it. */
void ow_br_send_joined(struct ow_br_calls *cs, size_t len, bool oneway);
/* In a service function, which then returns: send the request in hand, `m`, as
 * `o`, which is taken, or refuse it. */
void ow_br_send_remote(struct ow_br_calls *cs, struct ow_br_out *o,
		       const struct ow_msg *m);
/* On any thread: the same of a request that was handed on as `number`, with
 * `flags`. 0, `o` is taken and ow_br_flush() follows; or a tperrno. */
int ow_br_join_deferred(struct ow_br_calls *cs, struct ow_br_out *o,
			uint64_t number, uint32_t flags);

#endif
