/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h - what a guest and the gate say to each other
 *
 * A stream socket: the fixed head, then msg.len bytes of payload. The guest
 * asks, the gate answers each operation once, one at a time. Whoever receives a
 * head checks it whole (ow_frame_check()) before a field is used: the other
 * side is another user. doc/design/trust.md, "Guests".
 */
#ifndef OW_FRAME_H
#define OW_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "libatmi/wire/msg.h"

#define OW_FRAME_PAYLOAD_MAX (UINT64_C(64) << 20)
#define OW_FRAME_TEXT	     256

enum ow_frame_op {
	/* the guest: msg.kind REQUEST */
	OW_FRAME_CALL = 1, /* send the request, wait for its reply */
	OW_FRAME_SEND,	   /* send it: DONE with msg.cd (0: TPNOREPLY) */
	OW_FRAME_GET,	   /* wait for the reply of msg.cd (0: of any) */
	OW_FRAME_CANCEL,   /* forget msg.cd: DONE */
	OW_FRAME_CEASE,	   /* end the wait of CALL or GET: no answer of its own */
	/* the gate: msg.kind REPLY */
	OW_FRAME_WELCOME, /* the first, unasked: come in; msg.urcode: what
			     tpchkauth() returns */
	OW_FRAME_DONE,
	OW_FRAME_REPLY,	 /* of a service, for msg.cd */
	OW_FRAME_FAILED, /* msg.tperr, and the reason in `text` */
	/* the guest again */
	OW_FRAME_LOGIN,	   /* struct ow_frame_login, name in `text`: DONE. From a
			      process of the domain's user: for the client slot
			      of msg, which is that process's */
	OW_FRAME_OP_END
};

/* How tpsprio() changes the priority: as in call/context.h. */
struct ow_frame {
	struct ow_msg msg; /* deadline_ns: CLOCK_MONOTONIC, one machine */
	uint32_t op;	   /* enum ow_frame_op */
	int32_t prio;
	uint32_t prio_set;
	uint32_t pad;
	char text[OW_FRAME_TEXT]; /* CALL, SEND: the service; FAILED: why */
};

/* What tpinit() was given: the texts of a TPINIT buffer. `datalen` bytes of its
 * data follow, if the program has set datalen; the first ones are `data`, too. */
#define OW_FRAME_NAME	    32
#define OW_FRAME_LOGIN_DATA 65536u
struct ow_frame_login {
	char password[OW_FRAME_NAME];
	char cltname[OW_FRAME_NAME];
	char grpname[OW_FRAME_NAME];
	int64_t flags, data;
};

/* A head without payload. `op` says whose it is. */
void ow_frame_init(struct ow_frame *f, enum ow_frame_op op);
/* Check a received head; `kind`: what the other side may send. 0 or
 * -EBADMSG. */
int ow_frame_check(const struct ow_frame *f, enum ow_msg_kind kind);

#endif
