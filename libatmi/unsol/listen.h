/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen.h - the handler of a context, and how it gets its messages
 *
 * The handler runs in the context's thread: in tpchkunsol(), and while a call
 * waits (dip-in). Meanwhile the thread has no context: what needs one fails
 * with TPEPROTO.
 */
#ifndef OW_LISTEN_H
#define OW_LISTEN_H

#include "libatmi/call/context.h"

typedef void ow_handler_fn(char *data, long len, long flags);

struct ow_unsol {
	struct ow_listener base;
	ow_handler_fn *handler; /* NULL: none, messages are not wanted */
	/* The slot whose inbox is open: its generation (0: none is), and the
	 * number of the context, because another domain counts anew. */
	uint32_t gen, context;
};

/* The handler of the context becomes `fn` (NULL: none): 0 with the old one;
 * -ENOMEM. */
int ow_listen_set(struct ow_ctx *c, ow_handler_fn *fn, ow_handler_fn **ret);
/* Open the inbox, or close it, as the context wants it now: 0 (also when it
 * has no slot yet), -ENOSPC, -errno. */
int ow_listen_adapt(struct ow_ctx *c);
/* Pass what has come to the handler, OW_INBOX_CELLS messages at most; returns
 * how many. */
int ow_listen_dispatch(struct ow_ctx *c);

#endif
