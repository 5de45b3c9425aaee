/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - compose a request and queue it
 *
 * Station 3 of a call: after tpcall.c or tpacall.c, before the server's
 * loop.c. Sets tperrno itself, because all public functions that send
 * requests do it in the same words.
 */
#ifndef OW_REQUEST_H
#define OW_REQUEST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "libatmi/call/content.h"

struct ow_ctx;
struct ow_msg;

struct ow_request {
	const char *svc; /* the program's */
	struct ow_sending data;
	const struct iovec *piece; /* what is sent instead of `data`, as one
				      CARRAY (system.h); NULL */
	unsigned int n_pieces;
	long flags;
	uint64_t begin_ns; /* start time, reused to save reading the clock;
			      0: now */
	uint64_t deadline;
	int cd; /* 0: no reply wanted */
	uint64_t seq;
	uint8_t cache;	   /* enum ow_cached_use */
	uint64_t foreign;  /* the first caller, of another node (foreign.h); 0:
			      this context */
	uint64_t tran; /* a bridge: of this transaction, in which the context is
			  not; 0: of the context's */
	const struct ow_msg *origin; /* tpforward: the request it came from;
					this process vouches for it */
	uint64_t block; /* after it was sent: of its payload; 0: none */
	bool vouched; /* a bridge answers for it: it has applied the rules */
	struct ow_msg *record; /* tpforward: `origin` is on this record, which
				  names the block of the message (record.h) */
};

enum ow_request_result {
	/* Not sent: a kept reply does (cached.h). Only to a request that MAY */
	OW_REQUEST_ANSWERED = 1,
};

#pragma GCC visibility push(default)

/* Check service and buffer of a call: 0, or -1 with tperrno. ow_request_end()
 * follows a success. */
int ow_request_begin(struct ow_request *rq, const char *svc, char *data,
		     long len);
/* What is sent of a program's buffer, of any message: 0, or -1 with tperrno.
 * ow_content_end() follows a success. */
int ow_request_content(struct ow_sending *s, char *data, long len);
/* Queue it before its deadline: 0, ANSWERED, or -1 with tperrno. While replies to other
 * calls are to come, they are taken in: two full queues do not block each
 * other. */
int ow_request_send(struct ow_ctx *c, struct ow_request *rq);
#pragma GCC visibility pop

/* Free what the request holds, sent or not. Returns r. */
static inline int ow_request_end(struct ow_request *rq, int r)
{
	ow_content_end(&rq->data);
	return r;
}

#endif
