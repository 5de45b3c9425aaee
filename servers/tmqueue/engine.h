/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - the thread that works on the data base
 *
 * It takes all jobs that have come, executes them in one transaction, commits
 * with one sync, and answers: so the slower the disk, the more share a sync. It
 * holds the requests that wait for messages, and serves them in the transaction
 * in which a message comes. It sleeps until a job comes or a time is reached.
 *
 * A branch ends in the moment in which its end is executed (known.h): what comes
 * behind it in the batch finds it gone.
 *
 * Nobody is answered before the sync. When the transaction cannot be committed
 * (the disk is full), its jobs are executed one by one, and those that cannot be
 * are answered so.
 */
#ifndef OW_TMQUEUE_ENGINE_H
#define OW_TMQUEUE_ENGINE_H

#include "servers/tmqueue/job.h"
#include "servers/tmqueue/ports.h"
#include "servers/tmqueue/space.h"

struct engine;

/* Start the thread: 0 or -errno. */
int engine_start(struct engine **ret, struct space *sp,
		 const struct engine_ports *ports);
/* Hand over a job. Waits while very much is under way. */
void engine_put(struct engine *e, struct job *j);
/* Execute what has come, and end the thread. Requests that wait for messages
 * are not answered. */
struct engine *engine_stop(struct engine *e);

#endif
