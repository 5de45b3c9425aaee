/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - send the reply to a request
 *
 * Station 7 of a call: after tpreturn.c, before the caller's reply.c. Used by
 * servers, and by whoever answers in the place of a server that is gone.
 */
#ifndef OW_ANSWER_H
#define OW_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "libatmi/buffer/buf.h"

struct ow_domain;
struct ow_answers;

enum ow_answer_result {
	OW_ANSWER_NOBODY = 1, /* the caller is gone, or wants no reply */
	OW_ANSWER_FULL = 2,   /* its reply queue stayed full */
	OW_ANSWER_NOROOM = 3, /* no shared memory for the payload */
	OW_ANSWER_PARKED = 4, /* kept, ow_answers_retry() will send it */
};

struct ow_answer {
	const struct ow_msg *request;
	int tperr; /* 0, TPESVCFAIL, TPESVCERR, ... */
	long urcode;
	const char *data; /* payload, or NULL */
	size_t wire_len; /* with the subtype */
	uint64_t block; /* in which the payload lies; 0: none, copy it.
			   Afterwards: 0 if it was copied all the same, else
			   it is the client's if the answer is sent or PARKED */
	enum ow_buf_type type;
	uint8_t sub_len; /* of a VIEW; the payload begins with its subtype */
	uint8_t subtype[OW_BUF_SUBTYPE_MAX];
	uint64_t deadline_ns; /* to wait for room; OW_QUEUE_NOWAIT */
};

#pragma GCC visibility push(default)

/* Reply queues that a server keeps open; one thread. */
int ow_answers_open(struct ow_domain *d, struct ow_answers **ret);
struct ow_answers *ow_answers_close(struct ow_answers *as);
/* Close queues whose clients are gone: once a second, also when idle. */
void ow_answers_sweep(struct ow_answers *as);

/*
 * Send: 0, enum ow_answer_result, or -errno. `as` may be NULL. A client whose
 * reply queue stays full (it has many calls out and does not look) holds the
 * server up for a moment only: then its reply is parked in `as`.
 */
int ow_answer_send(struct ow_domain *d, struct ow_answers *as,
		   struct ow_answer *a);
/* Try to send what is parked; *ret_lost counts those given up. */
void ow_answers_retry(struct ow_answers *as, uint32_t *ret_lost);
/* Replies parked now. */
uint32_t ow_answers_parked(const struct ow_answers *as);

/* The same with nothing but an error, without waiting and without cache. */
int ow_answer_error(struct ow_domain *d, const struct ow_msg *request,
		    int tperr);

#pragma GCC visibility pop
#endif
