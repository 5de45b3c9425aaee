/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job.h - one thing that the engine is to do: a request, or the end of a
 * forwarded message
 *
 * A job belongs to one thread at a time: the main thread makes it, the engine
 * executes and answers it.
 */
#ifndef OW_TMQUEUE_JOB_H
#define OW_TMQUEUE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "servers/tmqueue/message.h"
#include "libatmi/durable/message.h"

#define JOB_CONTEXT 64 /* bytes of tpsrvgetctxdata2() */

enum job_kind {
	JOB_REQUEST,   /* of a caller, who waits for the answer */
	JOB_FORWARDED, /* a service has answered a forwarded message */
	JOB_RESTORE,   /* a message that reached nobody goes back into its queue */
	JOB_ABANDONED, /* a branch that nobody ends: roll it back */
};

struct job {
	struct job *next;
	enum job_kind kind;
	char context[JOB_CONTEXT];
	/* the caller: its context (tables.h), id */
	uint32_t slot, gen;
	char client[NDRX_MAX_ID_SIZE];
	struct ow_mq_request head;
	char *payload; /* head.len bytes, behind the job */
	struct ow_mq_xid xid; /* of the branch to which it belongs */
	/* Not "": a one-way call of this durable service (durable.h) */
	char service[XATMI_SERVICE_NAME_LENGTH + 1];
	struct message_trace trace; /* of the request that puts a message */
	bool unheard; /* its caller does not wait for the answer */
	/* FORWARDED */
	uint64_t number;
	int tperr;
	bool in_tran; /* autoq=T */
	bool taken_once; /* in_tran: a rollback has counted the try */
	long urcode;
	/* the answer */
	bool waits;	 /* for a message: no answer yet */
	struct ow_mq_answer answer;
	char *reply; /* the answer as buffer; NULL: `answer` alone */
	long reply_len;
	struct message taken; /* its message has left the data base */
	char taken_client[CLIENT_LEN + OW_MQ_REASON];
	struct queue *from;
	uint32_t taken_tries;
};

/* A job with room for `len` bytes of payload; NULL: no memory. */
struct job *job_new(enum job_kind kind, size_t len);
struct job *job_free(struct job *j);

/* Set the outcome of a request. Always 0. */
int job_fail(struct job *j, int tperr, int diagnostic, const char *why);

#endif
