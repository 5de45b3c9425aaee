/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forward.h - automatic queues: their messages go to a service
 *
 * The engine's thread locks a message (in memory) and hands it to one of a few
 * threads, which call the service; what comes of it is a job of the engine. A
 * tmqueue that is killed meanwhile forwards the message once more: a service is
 * called at least once.
 */
#ifndef OW_TMQUEUE_FORWARD_H
#define OW_TMQUEUE_FORWARD_H

#include "servers/tmqueue/engine.h"
#include "servers/tmqueue/space.h"

struct forward;

/* Start `threads` threads: 0 or -errno. */
int forward_start(struct forward **ret, uint32_t threads);
/* To whom the results go; until then messages wait for it. */
void forward_set_engine(struct forward *f, struct engine *e);
/* Of the engine's thread: forward what can be. */
void forward_look(struct forward *f, struct space *sp);
/* No more is forwarded: true, no thread has a message any more. When the last one
 * has ended the main thread is woken (ow_own_wake()). */
bool forward_may_end(struct forward *f);
/* Messages that a thread has are called for; the others stay. The engine goes
 * on, and may look. */
void forward_stop(struct forward *f);
/* When the engine has ended. */
struct forward *forward_free(struct forward *f);

#endif
