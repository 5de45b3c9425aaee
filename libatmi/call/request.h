/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - compose a request and queue it
 *
 * Station 3 of a call: after tpcall.c or tpacall.c, before the server's
 * loop.c. Sets tperrno itself, for all public functions that send requests
 * do it in the same words.
 */
#ifndef OW_REQUEST_H
#define OW_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "libatmi/buffer/buf.h"

struct ow_ctx;
struct ow_msg;

struct ow_request {
	char svc[32];	/* cut to 30 characters */
	char *data;	/* typed buffer, or NULL */
	size_t wire_len;
	struct ow_buf_info info;
	long flags;
	uint64_t begin_ns; /* monotonic; 0: now. The one reading of the clock
			      of a call that does not wait */
	uint64_t deadline_ns;
	int cd; /* 0: no reply wanted */
	uint64_t seq;
	const struct ow_msg *origin; /* tpforward: the request it came from */
	uint64_t block; /* in which the data lie and that may go with them; 0
			   afterwards: they were copied */
};

#pragma GCC visibility push(default)

/* Check service and buffer of a call: 0, or -1 with tperrno. */
int ow_request_check(struct ow_request *rq, const char *svc, char *data,
		     long len);
/* Queue it before its deadline: 0, or -1 with tperrno. While a reply queue
 * has replies to come, they are taken in: two full queues do not block each
 * other. */
int ow_request_send(struct ow_ctx *c, struct ow_request *rq);

#pragma GCC visibility pop
#endif
