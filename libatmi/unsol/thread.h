/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.h - the thread that calls the handler of a context (TPU_THREAD)
 *
 * It takes messages as they come, and sleeps on the inbox (transport/inbox.h).
 * Started and stopped by the thread that has the context. It has no context,
 * so functions that need one fail with TPEPROTO in the handler, and all
 * signals are blocked. It reads of `struct ow_unsol` what is constant while it
 * runs, `handler` and `halted`.
 *
 * A message is taken under `taking`, and only while `halted` is false. So after
 * ow_listen_thread_halt() nothing is taken from a slot that will be another
 * context's, although a handler may still run; that is what exit() needs,
 * which must not wait for a handler. A forked child has no such thread, and
 * starts without a context.
 */
#ifndef OW_UNSOL_THREAD_H
#define OW_UNSOL_THREAD_H

struct ow_unsol;

/* Start it, if it does not run: 0, -errno. */
int ow_listen_thread_start(struct ow_unsol *u);
/* Take no more messages. Does not block for longer than a take. */
void ow_listen_thread_halt(struct ow_unsol *u);
/* The same, and wait until the handler has returned. */
void ow_listen_thread_stop(struct ow_unsol *u);

#endif
