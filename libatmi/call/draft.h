/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft.h - a request before it is a message: what the caller wants sent
 *
 * Filled by the function that sends it, read by target.c, which decides where it
 * goes, and by request.c, which makes a message of it.
 */
#ifndef OW_DRAFT_H
#define OW_DRAFT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "libatmi/call/content.h"

struct ow_msg;

/* What only the library knows of a request. A program cannot say it: the flags
 * of its calls are another word. The first bits are those of a message. */
enum ow_request_bit {
	OW_REQUEST_REMOTE = OW_MSG_REMOTE, /* it came from another node: it is
					      not sent on to a third one */
	/* `tran` is the first caller, of another node (wire/remote_caller.h) */
	OW_REQUEST_REMOTE_CALLER = OW_MSG_REMOTE_CALLER,
	OW_REQUEST_FORWARDED = OW_MSG_FORWARDED, /* a service of another node
						    has worked on it */
	OW_REQUEST_VOUCHED = 1, /* this process answers for the caller */
	OW_REQUEST_CACHED = 2,	/* a kept reply would do (cached.h) */
	OW_REQUEST_KEEP = 4,	/* set by ow_request_send(): its reply is to be
				   kept */
	OW_REQUEST_STORABLE = 8, /* its sender can have it stored (stored.h) */
	OW_REQUEST_RENAMED = 16, /* set by ow_request_send(): its queue may not
				    be called as `svc` */
};

struct ow_request {
	const char *svc; /* the program's */
	struct ow_sending data;
	const struct iovec *piece; /* what is sent instead of `data`, as one
				      CARRAY (system.h); NULL */
	unsigned int n_pieces;
	long flags;   /* of the public function: TP* */
	uint32_t how; /* enum ow_request_bit */
	int cd;	      /* 0: no reply wanted */
	uint64_t begin_ns; /* start time, reused to save reading the clock;
			      0: now */
	uint64_t queued_ns; /* after it was sent: since when it is queued,
			       about; later than begin_ns if it had to wait
			       for room */
	uint64_t deadline;
	uint64_t seq;
	uint64_t tran; /* a bridge: of this transaction, in which the context is
			  not; 0: of the context's */
	int32_t tran_log; /* with `tran`: the mark of its log (wire/msg.h) */
	const struct ow_msg *origin; /* tpforward: the request it came from;
					this process vouches for it */
	uint64_t block; /* after it was sent: of its payload; 0: none */
	struct ow_msg *record; /* tpforward: `origin` is on this record, which
				  names the block of the message (record.h) */
};

#endif
