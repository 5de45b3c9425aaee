/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - from the name of a request's service to where the request goes
 *
 * Most names lead to the queue of their service (svcq.h). Others do not: a
 * tmqueue may have to store it (stored.h), a kept reply may do (cached.h), the
 * data may choose the service (routed.h), it may be the turn of other nodes
 * (NDRX_LDBAL), an operator may have suspended the service, and a server in
 * tpsvrinit() may be about to offer it. All that is decided in target.c, in
 * this order.
 */
#ifndef OW_TARGET_H
#define OW_TARGET_H

#include "libatmi/call/context.h"
#include "libatmi/call/draft.h"
#include "libatmi/call/svcq.h"

enum ow_target_result {
	OW_TARGET_ANSWERED = 1, /* no request is sent: a kept reply does */
	OW_TARGET_LATER, /* this server sends it when it offers the service */
	OW_TARGET_STORED, /* a one-way call of a durable service: stored.h */
};

/* `r` is the result of ow_svcq_find(), which has set *ret if it is 0. As
 * ow_target_find(). */
int ow_target_decide(struct ow_ctx *c, struct ow_request *rq, int r,
		     struct ow_svcq **ret);

/* Inlined: for most calls it is one look. 0 with the queue, ANSWERED, LATER,
 * STORED, or -1 with tperrno. */
static inline int ow_target_find(struct ow_ctx *c, struct ow_request *rq,
				 struct ow_svcq **ret)
{
	int r = ow_svcq_find(c, rq->svc, ret);

	return r == 0 && c->dom->ldbal == 0 ? 0
					    : ow_target_decide(c, rq, r, ret);
}

#endif
