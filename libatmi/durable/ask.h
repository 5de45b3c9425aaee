/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h - one question to a tmqueue, with its answer
 *
 * The caller's deadline is kept by tmqueue, which answers TPETIME; the call
 * itself ends OW_MQ_GRACE_NS later, for a tmqueue that says nothing. So a
 * message never leaves its queue for a caller that has given up. A signal ends
 * a wait for a message after tmqueue has been told, for the same reason.
 */
#ifndef OW_DURABLE_ASK_H
#define OW_DURABLE_ASK_H

#include <stdbool.h>
#include <stdint.h>
#include <xatmi.h>

#include "libatmi/call/system.h"
#include "libatmi/durable/message.h"

struct ow_ctx;

struct ow_mq_question {
	char svc[XATMI_SERVICE_NAME_LENGTH + 1];
	long flags; /* of the public function */
	bool waits; /* tmqueue may let it wait for a message */
	bool sent;  /* tmqueue perhaps has it: false at first */
	struct ow_mq_request head;
	/* the answer */
	struct ow_mq_answer answer;
	const char *payload; /* answer.len bytes in `reply` */
	struct ow_system_answer reply;
};

/* Which tmqueue: of a space; of server `srvid`. 0, or -1 with tperrno. */
int ow_mq_to_space(struct ow_mq_question *q, const char *qspace);
int ow_mq_to_server(struct ow_mq_question *q, int nodeid, int srvid);
/* Check queue and control block, and copy them into q->head. 0, or -1 with
 * tperrno; `ctl` has the diagnostic then. */
int ow_mq_begin(struct ow_mq_question *q, enum ow_mq_op op, const char *qname,
		TPQCTL *ctl, long flags);
/* Send with the payload `data`, and wait: 0, and the answer is there until
 * ow_mq_end(); or -1 with tperrno, and with the diagnostic in `ctl`. */
int ow_mq_ask(struct ow_mq_question *q, TPQCTL *ctl, char *data, long len);
void ow_mq_end(struct ow_mq_question *q);
/* The message that was taken by `q`, outside of a transaction, cannot be given to
 * the program: it goes back to its place (return.c). For up to OW_MQ_GRACE_NS
 * where tmqueue is not there. Ends `q`; tperrno stays. */
void ow_mq_put_back(struct ow_mq_question *q);
/* Wait for the answer to what was sent: 0; OW_SYSTEM_SIGNAL, if `signals`; -1 with
 * tperrno. */
int ow_mq_await(struct ow_ctx *c, struct ow_mq_question *q,
		struct ow_system_call *call, bool signals);
/* The public function fails, tperrno is set: -1. If nothing was sent, tpurcode
 * says that no server has begun it. */
int ow_mq_failed(const struct ow_mq_question *q);

#endif
