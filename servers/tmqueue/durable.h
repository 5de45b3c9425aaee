/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable.h - the queues of durable services
 *
 * <service durable="Y">: its one-way calls are stored in a queue of their own,
 * which forwards them. Which queue is whose stands in the data base, with the
 * queue: its name is > and that of the service, cut where that is too
 * long, and then not enough to tell two apart. How it forwards is said by a
 * line of q.conf with the queue's name, else by that of the queue >.
 *
 * A call that cannot be made (the service is not there, or may not be called)
 * is no try: the queue pauses, and keeps its order. A service that returns
 * TPFAIL has been called: nobody hears of it, as with any one-way call; in a
 * transaction it is undone, and tried again. After the last try the message goes
 * to QUEUE_FAILED, unless errorq says another, with the name of the
 * service as correlator: nothing vanishes. doc/design/durable_services.md
 */
#ifndef OW_TMQUEUE_DURABLE_H
#define OW_TMQUEUE_DURABLE_H

#include <stdbool.h>

#include "servers/tmqueue/queues.h"

#define DURABLE_MODEL  ">"	 /* and the beginning of names */

struct message_head;

/* Does this tmqueue store one-way calls? The queue > is defined. */
bool durable_is_wanted(struct queues *qs);
/* The queue of service `svc`, made if it is not there; NULL: no memory. */
struct queue *durable_queue(struct queues *qs, const char *svc);
/* Definitions were read or have changed: what holds for these queues. */
void durable_define(struct queues *qs);
/* Where a message of `q` (NULL: of any) goes after its last try, made if it is not
 * there; NULL: no memory. */
struct queue *durable_failed(struct queues *qs, const struct queue *q);

#endif
