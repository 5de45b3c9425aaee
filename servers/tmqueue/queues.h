/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.h - the queues of a space: what is defined, figures, who waits
 *
 * A queue is in memory as soon as it is defined (q.conf, mqch) or has had a
 * message. Its figures are in the data base too, and change with the
 * transaction in which messages do: queues_undo() takes back what an
 * aborted one has changed.
 */
#ifndef OW_TMQUEUE_QUEUES_H
#define OW_TMQUEUE_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "servers/tmqueue/definition.h"
#include "servers/tmqueue/store.h"
#include "libatmi/durable/message.h"

/* Of messages of durable services that have failed (durable.h). */
#define QUEUE_FAILED "@FAILED"

struct job;

/* Figures of a queue, since it was made. */
struct queue_figures {
	uint64_t queued; /* messages, all states */
	uint64_t locked; /* of them: in branches of transactions */
	uint64_t bytes;
	uint64_t enqueued, dequeued, succeeded, failed;
};

/* Of the queue of a durable service the name of that follows, without NUL. */
struct queue_record {
	uint32_t id, pad;
	struct queue_figures figures;
};

struct queue {
	struct queue *next;
	char name[TMQNAMELEN + 1];
	uint32_t id; /* in keys; 0: not in the data base yet */
	bool defined; /* false: as the queue @ says */
	bool own;     /* tmqueue has made it: it is used without a definition */
	/* "": an ordinary queue; else that of this durable service (durable.h) */
	char service[XATMI_SERVICE_NAME_LENGTH + 1];
	struct definition def;
	struct queue_figures now, saved;
	bool dirty; /* `now` is not in the data base */
	/* of the engine */
	bool fresh; /* a message can be taken since its waiters were served */
	struct job *first_waiter, *last_waiter;
	uint32_t waiting;
	uint64_t forwarded[DEFINITION_WORKERS]; /* numbers of messages */
	uint32_t n_forwarded;
	uint64_t paused_ns; /* nothing is forwarded until then; 0: it is */
	bool refreshed; /* seen by the reload in progress */
	bool failures; /* it has got what another queue has given up */
	uint64_t withheld_ns; /* when ULOG may say again that messages wait */
};

struct queues {
	struct queue *first;
	uint32_t last_id;
};

/* Read the queues that the data base knows. 0 or -errno. */
int queues_load(struct queues *qs, struct store *s);
void queues_free(struct queues *qs);

/* The queue `name`, made if `make`; NULL: it is not there, or no memory. */
struct queue *queues_find(struct queues *qs, const char *name, bool make);
struct queue *queues_by_id(struct queues *qs, uint32_t id);
/* The queue to which a program's name leads: one that is defined, or as @
 * says. NULL: there is none. */
struct queue *queues_use(struct queues *qs, const char *name);
/* The same for who takes a message out, or looks: a queue that is defined no more
 * is there as long as it has messages. */
struct queue *queues_take_from(struct queues *qs, const char *name);
/* Is the message number being forwarded? */
bool queue_is_forwarding(const struct queue *q, uint64_t number);

/* When the next queue that pauses goes on (monotonic); 0: none pauses. */
uint64_t queues_resume(const struct queues *qs);

/* Messages that a transaction or a service has. Of autoq=T both have the same
 * one. */
uint64_t queue_locked(const struct queue *q);

/* Write the figures of all that have changed: 0, FULL, -errno. */
int queues_write(struct queues *qs, struct store *s);
/* The transaction was committed; aborted. */
void queues_keep(struct queues *qs);
void queues_undo(struct queues *qs);

#endif
