/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen.h - the handler of a context, and how it gets its messages
 *
 * The handler runs in the context's thread: in tpchkunsol(), and while a call
 * waits (dip-in). With TPU_THREAD it runs in a thread of its own (thread.h).
 * The thread in which it runs has no context meanwhile: what needs one fails
 * with TPEPROTO.
 */
#ifndef OW_LISTEN_H
#define OW_LISTEN_H

#include "libatmi/unsol/deliver.h"

/* The handler of the context becomes `h`: 0 with the old one; -ENOMEM. */
int ow_listen_set(struct ow_ctx *c, struct ow_handler h,
		  struct ow_handler *ret);
/* Open the inbox, or close it, start the thread, or stop it, as the context
 * wants it now: 0 (also when it has no slot yet), -ENOSPC, -errno. */
int ow_listen_adapt(struct ow_ctx *c);
/* Pass what has come to the handler, OW_INBOX_CELLS messages at most; returns
 * how many. With a thread: none. */
int ow_listen_dispatch(struct ow_ctx *c);

#endif
