/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forward_tran.h - a message, its service and the answer in one transaction
 *
 * autoq=T. The message leaves its queue, the service does its work, and the
 * answer enters the reply queue, or nothing of it happens. A thread of the
 * forwarder is an ordinary client of this tmqueue here; the engine lets it have
 * the message that it forwards.
 */
#ifndef OW_TMQUEUE_FORWARD_TRAN_H
#define OW_TMQUEUE_FORWARD_TRAN_H

#include <stdbool.h>
#include <xatmi.h>

struct forward_order {
	const char *space, *queue, *service;
	char msgid[TMMSGIDLEN];
	int timeout; /* seconds, of the transaction; 0: as the tmsrv says */
	int prio;    /* of the call; 0: that of the service */
};

/* Call the service with `data`: 0, or the tperrno. TPENOENT, TPEPERM, TPEOS and
 * TPELIMIT: no server has begun it, for sure. A service can give any code to its
 * caller, and a reply be lost: what may have been executed is TPESVCERR then. */
int forward_call(const char *service, char **data, long *len, long flags);
/* Carry it out: 0, committed; else the tperrno. *data is the answer, or NULL.
 * *ret_taken: the message had left its queue; a rollback counts as a try. */
int forward_tran(const struct forward_order *o, char **data, long *len,
		 bool *ret_taken);

#endif
