/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msg.h - the header of a request or reply as it lies in a queue
 *
 * The payload follows the header if it fits the queue's message size;
 * otherwise it lies in a block (block.h) that `block` names. All processes of
 * a domain run on one machine: native byte order. The receiver checks a
 * message as if an attacker had written it (ow_msg_check()) before it uses
 * any other field.
 *
 * A reply is matched by (clt_slot, clt_gen, cd, seq). `seq` is never used
 * again in its context, so a late reply never matches a descriptor that is in
 * use again.
 */
#ifndef OW_MSG_H
#define OW_MSG_H

#include <stddef.h>
#include <stdint.h>

#define OW_MSG_MAGIC   0x474d574fu /* "OWMG" */
#define OW_MSG_VERSION 1u

#define OW_MSG_SIZE_MAX	   8192u /* header and inline payload */
#define OW_MSG_SUBTYPE_MAX 40u	 /* name and checksum of a view */

enum ow_msg_kind {
	OW_MSG_REQUEST = 1,
	OW_MSG_REPLY = 2,
};

/* In a refusal: no server had begun the request. */
#define OW_URCODE_UNBEGUN INT64_MIN

/* Buffer types as they travel: the codes of the public interface. */
enum ow_buf_type {
	OW_BUF_UBF = 0,
	OW_BUF_TPINIT = 2,
	OW_BUF_NULL = 3,
	OW_BUF_STRING = 4,
	OW_BUF_CARRAY = 5,
	OW_BUF_JSON = 6,
	OW_BUF_VIEW = 7,
	OW_BUF_TYPE_END = 8,
};

struct ow_msg {
	uint32_t magic; /* 0 in a receive slot: no request in hand */
	uint16_t version;
	uint8_t kind;
	uint8_t buftype;
	uint32_t flags;	     /* of tpcall()/tpacall() */
	uint32_t svc;	     /* index of the service, request */
	uint32_t clt_slot;   /* of the caller */
	uint32_t clt_gen;
	uint64_t seq;	     /* of the call, in its context */
	int32_t cd;
	int32_t tperr; /* reply: tperrno, 0 success; request: 0, or it was
			  taken out of its queue to be refused with this */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC, 0: none */
	uint64_t sent_ns;     /* when queued */
	uint64_t len;	      /* payload bytes */
	uint64_t block;	      /* reference of the block, 0: inline */
	int64_t urcode;	      /* reply: tpreturn's rcode, OW_URCODE_UNBEGUN */
	uint8_t trace_id[16]; /* W3C traceparent */
	uint8_t span_id[8];
	uint8_t trace_flags;
	uint8_t prio;
	uint8_t sub_len; /* payload starts with a subtype name this long */
	uint8_t resent;	 /* reply: it was postponed, record.h */
	uint8_t answer_as; /* 0, or 1 + the buffer type that the answer is
			      converted to (libatmisrv/convert.h) */
	uint8_t pad[3];
};

#pragma GCC visibility push(default)

/*
 * Check a message of `len` bytes: length, magic, version, range of every
 * number. A block reference is not checked here (block.h does it). 0 or
 * -EBADMSG.
 */
int ow_msg_check(const struct ow_msg *m, size_t len);

#pragma GCC visibility pop
#endif
