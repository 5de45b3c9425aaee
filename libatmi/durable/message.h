/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - what tmqueue is asked, and what it answers
 *
 * The services of tmqueue get CARRAY buffers with a request head and perhaps a
 * payload as it travels (wire/msg.h), and return CARRAY buffers with an answer
 * head and a payload. Both ends run on one machine.
 */
#ifndef OW_DURABLE_MESSAGE_H
#define OW_DURABLE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xatmi.h>

struct ow_content;

/* Services of tmqueue: of a queue space, of a server on a node. */
#define OW_MQ_SPACE  "@QSP%s"
#define OW_MQ_SERVER "@TMQ-%d-%d"

#define OW_MQ_MESSAGE 0x524d574fu /* a request */
#define OW_MQ_ANSWER 0x414d574fu
/* PREPARE, COMMIT, ROLLBACK: `count` of the answer is this and a code of XA. */
#define OW_MQ_XA_BASE 100
/* In `flags` of a TPQCTL, of tmqueue itself: the message that it forwards in a
 * transaction. */
#define OW_MQ_FORWARDED 0x40000000
#define OW_MQ_BYTES_MAX (UINT64_C(64) << 20) /* payload of a message */

/* A caller waits so much longer than its own deadline, which tmqueue keeps: no
 * message is taken out of a queue for a caller that has given up. */
#define OW_MQ_GRACE_NS (UINT64_C(2) * 1000000000)

enum ow_mq_op {
	OW_MQ_ENQUEUE = 1,
	OW_MQ_DEQUEUE,
	OW_MQ_CANCEL, /* the dequeue with the same token, which waits */
	/* of administration */
	OW_MQ_QUEUES,	/* rows of struct ow_mq_queue */
	OW_MQ_MESSAGES, /* rows of struct ow_mq_row: `count` from `from` on */
	OW_MQ_LOOK,	/* at the message ctl.msgid, whatever its state; with
			 * `count` to move it: not one that somebody has */
	OW_MQ_REMOVE,	/* the message ctl.msgid */
	OW_MQ_DEFINE,	/* the payload is a line of q.conf */
	OW_MQ_RELOAD,	/* read q.conf again */
	/* of resource managers: of the branch `xid` */
	OW_MQ_PREPARE,
	OW_MQ_COMMIT,
	OW_MQ_ROLLBACK,
	OW_MQ_RECOVER, /* rows of struct ow_mq_xid, those behind `xid` */
	OW_MQ_BEGIN,   /* it begins in another process */
	/* of administration, again: numbers stay as they are */
	OW_MQ_MOVE, /* the message ctl.msgid, of at most `from` bytes, into
		     * `queue` of the space that the payload names; `count` of
		     * the answer is 1: that is another space, and nothing was
		     * done */
	/* of a consumer */
	OW_MQ_PUT_BACK, /* the message of an answer that it could not read, and
			 * the `cltid` of that behind the content; `count` and
			 * `from` are `count` and `next` of the answer, `ctl` is
			 * that of the answer: only who was given the message
			 * has its deq_time */
	OW_MQ_OP_END,
};

/* The branch of a transaction; gtrid 0: none. */
struct ow_mq_xid {
	int32_t format;
	uint8_t gtrid, bqual; /* lengths */
	uint8_t data[128];
	uint8_t pad[2];
};

/* What travels of a TPQCTL. */
struct ow_mq_ctl {
	int64_t flags;
	int64_t deq_time, exp_time;
	int64_t priority, urcode, appkey;
	int64_t delivery_qos, reply_qos;
	char msgid[TMMSGIDLEN];
	char corrid[TMCORRIDLEN];
	char replyqueue[TMQNAMELEN + 1];
	char failurequeue[TMQNAMELEN + 1];
};

struct ow_mq_request {
	uint32_t magic;
	uint16_t op;
	uint8_t type; /* of the payload; TPNOCHANGE: the only one wanted */
	uint8_t sub_len;
	uint32_t flags; /* of the call */
	uint32_t count;
	uint64_t deadline_ns; /* monotonic; 0: none */
	uint64_t token;	      /* of the caller's context, for CANCEL */
	uint64_t from;
	uint64_t len; /* of the payload */
	char queue[TMQNAMELEN + 1];
	char subtype[XATMI_SUBTYPE_LEN + 1]; /* TPNOCHANGE: of a VIEW */
	uint8_t in_tran; /* the caller is in a transaction */
	char pad[5];
	struct ow_mq_ctl ctl;
	struct ow_mq_xid xid; /* of PREPARE to RECOVER; gtrid 0: none */
};

struct ow_mq_answer {
	uint32_t magic;
	int32_t tperr;	    /* 0: done */
	int32_t diagnostic; /* with TPEDIAGNOSTIC, TPEOS: QME... */
	uint8_t type;
	uint8_t sub_len;
	uint8_t pad[2];
	uint64_t count; /* rows; CANCEL: 1, it waits no more; DEQUEUE: how often
			   the message was tried */
	uint64_t next;	/* MESSAGES: `from` of the next page; 0: the last;
			   DEQUEUE: when it expires, wall clock; 0: never */
	uint64_t len;
	char why[160]; /* LOOK: why the message was given up, "" */
	char cltid[NDRX_MAX_ID_SIZE]; /* MESSAGES: the service (OW_MQ_SERVER)
					 of the tmqueue */
	struct ow_mq_ctl ctl; /* DEQUEUE: deq_time is the right to put it
				 back; 0: none */
};

/* Of a queue: its figures since it was made, and what is defined. */
struct ow_mq_queue {
	char name[TMQNAMELEN + 1];
	char space[TMQNAMELEN + 1];
	char definition[256]; /* a line of q.conf, without the name */
	uint32_t automatic;
	uint32_t implied; /* by the queue @ */
	uint64_t queued, locked; /* locked: in a transaction, being forwarded */
	uint64_t enqueued, dequeued, succeeded, failed;
	uint64_t waiting;    /* consumers */
	uint64_t oldest_ns;  /* wall clock, when it came; 0: none */
	uint64_t bytes;
};

enum ow_mq_state {
	OW_MQ_READY = 0,
	OW_MQ_DELAYED,
	OW_MQ_LOCKED,
};

/* Bytes of a reason, with the NUL. */
#define OW_MQ_REASON 160

/* Of a message. */
struct ow_mq_row {
	char msgid[TMMSGIDLEN];
	char queue[TMQNAMELEN + 1];
	uint64_t since_ns, due_ns; /* wall clock */
	uint64_t len;
	uint32_t tries, state;
	char reason[OW_MQ_REASON]; /* why it was given up; "": it was not */
};

/* A request, taken apart; it points into the message. */
struct ow_mq_message {
	struct ow_mq_request head;
	const char *payload; /* head.len bytes */
};

/* A CARRAY buffer with the request and a payload of plain bytes, of *ret_len
 * bytes; NULL: no memory. Sets len of `head`. */
char *ow_mq_request_bytes(struct ow_mq_request *head, const void *bytes,
			  size_t len, long *ret_len);
/* Check a request of `len` bytes: 0 or -EBADMSG. */
int ow_mq_request_read(const char *message, long len,
		       struct ow_mq_message *ret);

/* A CARRAY buffer with the answer and head->len bytes of payload. */
char *ow_mq_answer_write(const struct ow_mq_answer *head, const void *payload,
			 long *ret_len);
/* Check an answer of `len` bytes; *ret_payload points into it. */
int ow_mq_answer_read(const char *answer, long len, struct ow_mq_answer *ret,
		      const char **ret_payload);

/* A payload as typed buffer *data, which may be NULL: 0, -EBADMSG, -ENOMEM,
 * -EPROTOTYPE (a view that is not known here). Type NULL: *data becomes NULL.
 */
int ow_mq_payload_read(uint8_t type, uint8_t sub_len, const char *payload,
		       uint64_t len, char **data, long *ret_len);
/* The payload of the typed buffer `data` (NULL: none) as malloc'ed bytes: 0,
 * -EINVAL (not a buffer), -ENOMEM. Sets type, sub_len, len of `head`. */
int ow_mq_payload_write(char *data, long len, struct ow_mq_request *head,
			char **ret_bytes);

#endif
