/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - messages in the data base of a queue space
 *
 * A message has a number, greater than those before it, and a record that does
 * not change: head, client, payload, trace, place (order.h). Where it is, other tables say; it is in
 * exactly one of these states:
 *
 *	ready	`order` has it, under queue, rank and place; and `corr`
 *	delayed	`due` has it, and `timed` at the time when it becomes ready
 *	in a branch	`work` has it: a transaction has enqueued or dequeued it
 *
 * A message that expires is in `timed` beside. All functions work in the
 * store's transaction and keep the figures of the queue; they return 0, ABSENT,
 * FULL or -errno.
 */
#ifndef OW_TMQUEUE_MESSAGE_H
#define OW_TMQUEUE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "servers/tmqueue/order.h"
#include "servers/tmqueue/queues.h"
#include "servers/tmqueue/store.h"
#include "libatmi/durable/message.h"

#define MESSAGE_MAGIC 0x314d514fu

struct message_head {
	uint32_t magic;
	uint32_t queue; /* id */
	uint32_t flags; /* of TPQCTL: which of the texts below are given */
	uint8_t priority, rank;
	uint8_t type, sub_len;
	int64_t urcode, appkey, delivery_qos, reply_qos;
	uint64_t since_ns, expires_ns; /* wall clock; 0: never */
	uint32_t tries; /* when it was put */
	uint32_t client_len;
	uint64_t len;
	char corrid[TMCORRIDLEN];
	char replyqueue[TMQNAMELEN + 1];
	char failurequeue[TMQNAMELEN + 1];
};

/* Behind the payload, of a message that was put in a trace: which one, and the
 * request that put it. Records without it are as before. */
#define MESSAGE_TRACE 0x3154514fu

struct message_trace {
	uint32_t magic; /* 0: none */
	uint8_t flags, pad[3];
	uint8_t trace_id[16], span_id[8];
};

/* A message; client and payload lie in the data base until the transaction
 * ends, or where the caller has them. */
struct message {
	uint64_t number;
	struct message_head head;
	const char *client;
	const char *payload;
	struct message_trace trace;
	struct order_place order;
};

/* What of a queue is wanted. */
struct wanted {
	uint64_t number;    /* this one; 0: any */
	const char *corrid; /* NULL: any */
	bool forwarded;	    /* number: also if it is being forwarded */
};

/* Where a message is. */
struct place {
	enum ow_mq_state state;
	uint32_t tries;
	uint64_t due_ns; /* DELAYED */
};

/*
 * Why a message was given up, as text. It lies behind the client, whose
 * CLIENT_LEN bytes come first, so that the record has the form that it always
 * had; a message that was not given up has none.
 */
#define CLIENT_LEN ((uint32_t)NDRX_MAX_ID_SIZE)
void message_reason(const struct message *m, char buf[OW_MQ_REASON]);

/* ---- ids ---- */

void message_id(const struct store *s, uint64_t number, char id[TMMSGIDLEN]);
/* The number in an id; 0: it is not of this space. */
uint64_t message_number(const struct store *s, const char id[TMMSGIDLEN]);

/* ---- in and out ---- */

/* Write a new message; m->number becomes its number (if it is 0), m->head.queue
 * the queue's. It has no place yet. */
int message_write(struct store *s, struct queues *qs, struct queue *q,
		  struct message *m);
/* Give it its place: ready, or delayed until due_ns (wall clock). */
int message_show(struct store *s, struct queue *q, const struct message *m,
		 uint64_t due_ns, uint32_t tries);
/* Take its place away. ABSENT: it is in a branch. */
int message_hide(struct store *s, const struct message *m, struct place *ret);
/* Remove its record; its place is gone already. */
int message_erase(struct store *s, struct queue *q, const struct message *m);

/* ---- found ---- */

int message_read(struct store *s, uint64_t number, struct message *ret);
int message_place(struct store *s, const struct message *m, struct place *ret);
/* The next message of the queue that can be taken, and is not forwarded. */
int message_choose(struct store *s, const struct queue *q,
		   const struct wanted *w, struct message *ret,
		   uint32_t *ret_tries);
/* When the first message came that can be taken or is with a service; 0: there
 * is none. Of a queue with priorities: the next message. */
uint64_t message_oldest(struct store *s, const struct queue *q);

/* ---- time ---- */

/* Carry out what is due at `now` (wall clock), at most `most` things: delayed
 * messages become ready, expired ones are removed. */
int message_due(struct store *s, struct queues *qs, uint64_t now, int most);
/* The time of the next thing; 0: none. */
int message_next_due(struct store *s, uint64_t *ret);

#endif
