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

#include "libatmi/call/draft.h"

struct ow_ctx;

enum ow_request_result {
	/* Not sent: a kept reply does (cached.h). Only to one that is CACHED */
	OW_REQUEST_ANSWERED = 1,
	/* Not sent: ow_stored_ask() or ow_stored_tell() is to send it. Only of
	 * one that is STORABLE */
	OW_REQUEST_STORED,
};

/* Check service and buffer of a call: 0, or -1 with tperrno. ow_request_end()
 * follows a success. */
int ow_request_begin(struct ow_request *rq, const char *svc, char *data,
		     long len);
/* What is sent of a program's buffer, of any message: 0, or -1 with tperrno.
 * ow_content_end() follows a success. */
int ow_request_content(struct ow_sending *s, char *data, long len);
/* Queue it before its deadline: 0, ANSWERED, STORED, or -1 with tperrno. While
 * it waits for room it takes in replies to other calls, so that two full queues
 * do not block each other. */
int ow_request_send(struct ow_ctx *c, struct ow_request *rq);

/* Free what the request holds, sent or not. Returns r. */
static inline int ow_request_end(struct ow_request *rq, int r)
{
	ow_content_end(&rq->data);
	return r;
}

#endif
