/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - what bridges say to each other: batches of frames
 *
 * A message of NATS is a batch: a fixed head, then frames, each with a fixed
 * head and a payload, padded to 8 bytes. Byte order and sizes are those of
 * 64-bit little-endian machines; a sender of another kind has another magic
 * number, and its messages are counted and dropped.
 *
 * What arrives is hostile until ow_br_batch_check() has been over it.
 */
#ifndef OW_BRIDGE_FRAME_H
#define OW_BRIDGE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OW_BR_MAGIC   0x5242574fu /* "OWBR" */
#define OW_BR_VERSION 1u
#define OW_BR_NAME    32u /* a service name, with NUL */
#define OW_BR_LARGEST ((uint64_t)64 << 20) /* payload of a call */

/* Requests and replies are numbered and have credits, each kind of its own:
 * replies never wait behind requests. What is said about the link is neither
 * numbered nor held back. */
enum ow_br_lane {
	OW_BR_REQUESTS = 0,
	OW_BR_REPLIES,
	OW_BR_CONTROL,
	OW_BR_LANES, /* the first two have numbers */
};

enum ow_br_kind {
	OW_BR_REQUEST = 1, /* the first part of one, often the only one */
	OW_BR_REPLY,
	OW_BR_PART, /* of the request or reply `id` */
	/* lane CONTROL */
	OW_BR_HEARTBEAT, /* payload: struct ow_br_heartbeat; `id`: the
			    generation of what the sender's node wants */
	OW_BR_ASK,	 /* send me all your offers */
	OW_BR_ADVERT,	 /* payload: struct ow_br_advert */
	OW_BR_PING, /* `total`: the sender's clock, comes back with PONG */
	OW_BR_PONG,
	OW_BR_WHO, /* payload: struct ow_br_who */
	/* Events: directory/interest.h. POST is a request without a reply. */
	OW_BR_POST = 32,
	OW_BR_INTEREST,	 /* CONTROL; payload: struct ow_interest, of
			    generation `id` */
	OW_BR_ASK_INTEREST, /* CONTROL: send me what your node wants */
	/* Unsolicited messages: out/unsol.h. A call, and without a reply. */
	OW_BR_NOTIFY,
	OW_BR_BROADCAST,
	/* A question of a tmsrv to another node, a call: in/question.h */
	OW_BR_QUESTION = 48,
	/* CONTROL, payload: struct ow_br_advert of the whole, and some of its
	 * names, from number `offset` on. */
	OW_BR_ADVERT_PART = 56,
	/* Lane REQUESTS, payload: struct ow_br_caller. Who makes the request
	 * that follows; without one it has not logged in. */
	OW_BR_CALLER = 64,
	/* Lane REQUESTS: generation `urcode` of the receiver's offers is known,
	 * and what was chosen before was sent. directory/confirmation.h */
	OW_BR_CONFIRM = 80,
	/* Conversations. CONNECT is a request that begins one; CONV is in
	 * the lane of replies, both ways. */
	OW_BR_CONNECT = 96,
	OW_BR_CONV,
	/* CONTROL, payload: some struct ow_waits_call, all that the sender tells
	 * now. To bridges that want it: waits/waits.h */
	OW_BR_WAITS = 112,
	/* Lane REPLIES: how much of service `svc` may be sent to the sender:
	 * `urcode` units more. -1: it has the credit of the lane again. To
	 * bridges that know it: peers/allowance.h */
	OW_BR_ALLOW = 120,
};

/* In `flags` of a frame in the lane of replies. OF_CONV: it is CONV, a PART of
 * one, or the REPLY that ends a conversation which was accepted. BACK: its `id`
 * is one that the receiver has given, else the sender. TURN: the receiver is to
 * send now. */
#define OW_BR_OF_CONV	1u
#define OW_BR_CONV_BACK 2u
#define OW_BR_CONV_TURN 4u

/* In `flags` of a HEARTBEAT: requests to its sender are to be preceded by
 * CALLER. */
#define OW_BR_WANTS_CALLERS 0x100u
/* The same: CONFIRM is wanted. */
#define OW_BR_WANTS_CONFIRM 0x200u
/* The same: WAITS is wanted. */
#define OW_BR_WANTS_WAITS 0x400u
/* The same: its sender knows ALLOW. */
#define OW_BR_KNOWS_ALLOW 0x800u

struct ow_br_batch {
	uint32_t magic;
	uint16_t version;
	uint8_t lane;
	uint8_t pad;
	uint32_t node, bridge; /* the sender */
	uint64_t session;      /* of the sender */
	uint64_t to_session;   /* the sender's notion of the receiver's; 0: any */
	/* The sender's number of the link between the two, and its notion of
	 * the receiver's; 0: any. */
	uint32_t link, to_link;
	uint64_t number; /* of this batch in its lane, from 1 */
	uint64_t taken[2]; /* credit units that the sender has taken, by lane */
};

struct ow_br_frame {
	uint32_t size; /* with head, payload and padding */
	uint8_t kind, buftype, sub_len, prio;
	uint64_t id;	  /* of the call, given by the caller's bridge; 0: no
			     reply is wanted */
	uint64_t total;	  /* payload bytes of all parts, with the subtype */
	uint64_t offset;  /* of this part */
	uint64_t len;	  /* of this part */
	uint64_t left_ns; /* REQUEST: until the deadline; 0: there is none. CONV:
			     the number of the message with data */
	int64_t urcode; /* CONFIRM: a generation. ALLOW: units. REQUEST: the first caller (wire/remote_caller.h); with
			   IN_TRAN the transaction. CONV: how many messages of
			   the other end were fetched */
	int32_t tperr;	/* CONV: enum ow_conv_op (wire/msg.h) */
	uint32_t flags;
	uint8_t trace_id[16], span_id[8];
	uint8_t trace_flags, pad[3];
	uint32_t log; /* IN_TRAN: which has given the number: ow_tm_log_mark() */
	char svc[OW_BR_NAME];
};

/* In `flags` of a REQUEST: it is of transaction `urcode` of the receiver. */
#define OW_BR_IN_TRAN 0x20000000u

struct ow_br_heartbeat {
	uint64_t gen;	 /* of the sender's offers */
	uint64_t tables; /* hash of its field tables, 0: it has none */
	uint32_t heartbeat_ms;
	uint32_t joining; /* 1: it wants the heartbeats of all others now */
	uint32_t leaving; /* 1: it ends */
	uint32_t offers;
};

/* Of which domain the sender is. Two with the same node id are a mistake, which
 * peers/twins.h names. */
struct ow_br_who {
	uint64_t domain; /* hash of machine and `text`; not 0 */
	char text[184];	 /* machine, folder, prefix: for people */
};

struct ow_br_caller {
	char login[32]; /* the name that it has proved at its node */
};

/* The offers of the sender: all of them, or what has changed since gen - 1.
 * Names follow: first those that came, then those that went. */
#define OW_BR_ADVERT_MAX (1u << 20) /* names that come in parts */
struct ow_br_advert {
	uint64_t gen;
	uint32_t full, plus, minus, pad;
};

/* Is it an unsolicited message? */
static inline bool ow_br_unsol_is(const struct ow_br_frame *f)
{
	return f->kind == OW_BR_NOTIFY || f->kind == OW_BR_BROADCAST;
}

/* A message of `len` bytes: 0; -EPROTO, of another version or kind of machine;
 * -EBADMSG. `ret` is its head. */
int ow_br_batch_check(const void *data, size_t len, struct ow_br_batch *ret);
/* The frames of a checked batch, one after the other: NULL, no more; else its
 * payload. *at begins at 0. */
const char *ow_br_frame_next(const void *data, size_t len, size_t *at,
			     struct ow_br_frame *ret);
/* What a frame with a payload of `len` bytes takes. */
static inline size_t ow_br_frame_size(size_t len)
{
	return (sizeof(struct ow_br_frame) + len + 7) & ~(size_t)7;
}
/* Put a frame at `to`, which has room; sets its size. Returns that. */
size_t ow_br_frame_put(char *to, struct ow_br_frame *f, const void *payload);

#endif
