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
 * use again. So is a message of a conversation.
 */
#ifndef OW_MSG_H
#define OW_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OW_MSG_MAGIC   0x474d574fu /* "OWMG" */
#define OW_MSG_VERSION 1u

#define OW_MSG_SIZE_MAX	   8192u /* header and inline payload */
#define OW_MSG_SUBTYPE_MAX 40u	 /* name and checksum of a view */

enum ow_msg_kind {
	OW_MSG_REQUEST = 1,
	OW_MSG_REPLY = 2,
	OW_MSG_CONV = 16,	 /* between the two ends of a conversation */
	OW_MSG_UNSOLICITED = 19, /* in an inbox (transport/inbox.h) */
	OW_MSG_NOTICE = 20,	 /* in a mailbox: look into your inbox */
};

/* What a message does in a conversation (libatmi/converse/ends/conversation.h). */
enum ow_conv_op {
	OW_CONV_NONE = 0,
	OW_CONV_CONNECT, /* a request: it begins one */
	/* kind CONV */
	OW_CONV_ACCEPT, /* a server has begun to serve it */
	OW_CONV_DATA,
	OW_CONV_TAKEN, /* says how many were fetched, no more */
	OW_CONV_END,   /* tpdiscon() */
};

/* In the place of a trace, kind CONV: the end that has sent the message. Its
 * descriptor is in `urcode`. */
struct ow_msg_conv {
	uint32_t from_slot, from_gen;
	uint64_t from_seq;
	uint32_t number; /* of its messages with data, from 1 */
	uint32_t taken;	 /* of those of the other end, fetched so far */
};

/* In `flags` of a request: it came from another machine. A bridge does not send
 * it on. Programs do not see the bit. */
#define OW_MSG_REMOTE UINT32_C(0x40000000)

/* In `flags` of a request: its transaction was begun for it (AUTOTRAN), and the
 * service that answers it ends it. Programs do not see the bit. */
#define OW_MSG_AUTOTRAN UINT32_C(0x20000000)

/* In `flags` of a CONNECT: the conversation takes part in a transaction, whose
 * number is in the place of the deadline. Programs do not see the bit. */
#define OW_MSG_CONV_TRAN UINT32_C(0x10000000)

/* In `flags` of a request: the word of the transaction holds the first caller,
 * a client of another node (remote_caller.h). Such a request is in no
 * transaction. Programs do not see the bit. */
#define OW_MSG_REMOTE_CALLER UINT32_C(0x80000000)

/* In `flags` of a request: a service has worked on it and forwarded it. Whoever
 * refuses it says TPESVCERR, never an error that means that nothing was done.
 * Programs do not see the bit. */
#define OW_MSG_FORWARDED UINT32_C(0x00010000)

/* In `flags` of a reply with an error: its payload says why (cause.h). */
#define OW_MSG_CAUSE UINT32_C(0x00020000)

/* In `flags` of a reply: its service took longer than a caller's yields are good
 * for (waking/yield.h). */
#define OW_MSG_LONG UINT32_C(0x00040000)

/* Those of requests: no flag of the public interface is among them. */
#define OW_MSG_PRIVATE                                                         \
	(OW_MSG_REMOTE | OW_MSG_AUTOTRAN | OW_MSG_CONV_TRAN |                  \
	 OW_MSG_REMOTE_CALLER | OW_MSG_FORWARDED)

/* In an error reply: no server had begun the request. Only the runtime says so;
 * the caller sees it as tpurcode. */
#define OW_URCODE_UNBEGUN INT64_MIN

/* Buffer types as they travel: the codes of the public interface. */
enum ow_buf_type {
	OW_BUF_UBF = 0,
	OW_BUF_GAP = 1, /* a gap in those codes: in no message */
	OW_BUF_TPINIT = 2,
	OW_BUF_NULL = 3,
	OW_BUF_STRING = 4,
	OW_BUF_CARRAY = 5,
	OW_BUF_JSON = 6,
	OW_BUF_VIEW = 7,
	OW_BUF_NOTED =
	    8, /* any of the others, with a call header; callinfo.h */
	OW_BUF_XML = 9, /* bytes, as CARRAY; the codes are ours */
	OW_BUF_MBSTRING = 10,
	OW_BUF_TYPE_END = 11,
};

/* Does something stand before the contents: a subtype, a call header? */
static inline bool ow_buf_type_is_compound(unsigned int type)
{
	return type == OW_BUF_VIEW || type == OW_BUF_NOTED;
}

/* Has a buffer of the type bytes, whose number the program says? */
static inline bool ow_buf_type_is_bytes(unsigned int type)
{
	return type == OW_BUF_CARRAY || type == OW_BUF_XML ||
	       type == OW_BUF_MBSTRING;
}

/* May a message say that it has a buffer of this type? */
static inline bool ow_buf_type_travels(unsigned int type)
{
	return type < OW_BUF_TYPE_END && type != OW_BUF_GAP;
}

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
	union {
		int32_t tperr; /* reply: tperrno, 0 success; request: above 0,
				  it was taken out of its queue to be refused
				  with this */
		int32_t tran_log; /* request: below 0, the mark of the log that
				     has given the number `tran`
				     (ow_tm_request_mark()); 0: not known */
	};
	uint64_t deadline_ns; /* CLOCK_MONOTONIC, 0: none */
	uint64_t sent_ns;     /* when queued */
	uint64_t len;	      /* payload bytes */
	uint64_t block;	      /* reference of the block, 0: inline */
	union {
		int64_t urcode; /* reply: tpreturn's rcode, OW_URCODE_UNBEGUN;
				   CONNECT: the deadline of tpconnect() */
		uint64_t tran;	/* other requests, and CONNECT with CONV_TRAN:
				   number of the transaction (tran/tm.h), 0:
				   none; with REMOTE_CALLER the first caller, also of
				   a CONNECT */
	};
	union {
		struct {
			uint8_t trace_id[16]; /* W3C traceparent */
			uint8_t span_id[8];
		};
		struct ow_msg_conv conv; /* kind CONV */
	};
	uint8_t trace_flags;
	uint8_t prio;
	uint8_t sub_len; /* payload starts with a subtype name this long */
	uint8_t unused;
	uint8_t answer_as; /* 0, or 1 + the buffer type that the answer is
			      converted to (libatmisrv/convert.h) */
	uint8_t continued; /* in a block that is TAKEN: its service has ended, a
			      thread of the server answers it later */
	uint8_t conv_op;   /* enum ow_conv_op */
	uint8_t vouched;   /* request: a process of the domain answers for it
			      (door/door.h) */
	uint64_t handed;   /* on record: the block with which the request was
			      forwarded, or the record of its own that it has,
			      0: neither (record.h). In a queue 0 */
};

/* Of a request: the number of its transaction; 0: none. */
static inline uint64_t ow_msg_tran(const struct ow_msg *m)
{
	if (m->flags & OW_MSG_REMOTE_CALLER)
		return 0;
	return m->conv_op == OW_CONV_NONE || (m->flags & OW_MSG_CONV_TRAN)
		   ? m->tran
		   : 0;
}

/* Of a CONNECT: until when a server may accept it; 0: as long as its
 * transaction lasts, or the bridge waits that sent it. */
static inline uint64_t ow_msg_accept_by(const struct ow_msg *m)
{
	return m->flags & (OW_MSG_CONV_TRAN | OW_MSG_REMOTE_CALLER)
		   ? 0
		   : (uint64_t)m->urcode;
}

/*
 * Check a message of `len` bytes: length, magic, version, range of every
 * number. A block reference is not checked here (block.h does it). 0 or
 * -EBADMSG.
 */
int ow_msg_check(const struct ow_msg *m, size_t len);

#endif
