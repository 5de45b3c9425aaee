/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - a server receives requests in a run, without bytes
 *
 * A server that waits in epoll, takes a byte, receives, makes three system
 * calls where one would do while the queue has more. So a server that has
 * served a request tries to receive the next one at once: a run. After a
 * one-way request it always does, since those come in bursts; after a call
 * only while a server is on its way to the queue (bell.h), because then there
 * is a message nearly always. That saves the wake-ups of servers, too, where
 * services wait: the server that comes back takes what another one would have
 * been woken for.
 *
 * A run ends with the first attempt that finds nothing, after `run_max`
 * requests, or `run_ns` after its first one was served
 * (libatmi/waking/constants.h): then the server looks for what else it has to
 * do. A service that took longer than that ends it, or there is none: what came
 * meanwhile, such as ndrxd's order to stop, would wait for one service more. A
 * run of calls ends at once if another queue of the server has messages,
 * or if the program polls descriptors of its own (libatmisrv/loop.c). A run takes no bytes
 * and leaves the word `bell` alone, so whoever is on its way comes, and looks. A
 * death in a run leaves nothing beside the request in hand.
 */
#ifndef OW_RUN_H
#define OW_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "libatmi/transport/posix/posix.h"
#include "libatmi/wire/msg.h"

/* A server has tried to receive from the queue of a service, and has received
 * `m`; NULL: nothing. */
static inline void ow_run_attempted(struct posix_queue *q,
				    const struct ow_msg *m)
{
	q->run.ended = m == NULL;
	q->base.runs = m != NULL && m->kind == OW_MSG_REQUEST && m->cd == 0;
	q->run.length++;
}

#endif
