/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transaction.h - requests in transactions, and questions of tmsrv
 *
 * doc/design/transactions.md, "Other nodes". Before a request in a transaction
 * leaves, the tmsrv here must know that the node works in it, and a tmsrv there
 * must have a number for it. Before one that came is queued, the tmsrv here is
 * asked whether that node may name this transaction. Threads of their own ask,
 * so that nothing else waits for a tmsrv; they are started for the first such
 * request.
 */
#ifndef OW_BRIDGE_TRANSACTION_H
#define OW_BRIDGE_TRANSACTION_H

#include <stdbool.h>
#include <stdint.h>
#include <xatmi.h>

#include "libatmi/tran/remote.h"

struct ow_br_calls;
struct ow_br_frame;
struct ow_br_inbound;
struct ow_br_out;
struct ow_br_peers;
struct ow_br_tran;
struct ow_msg;

/* The service function of OW_TM_REMOTE. */
void ow_br_question(TPSVCINFO *svc);
/* In a service function, which then returns: send the request in hand, `m`,
 * which is in a transaction, as `o`, which is taken; or refuse it. */
void ow_br_tran_send(struct ow_br_tran *t, struct ow_br_out *o,
		     const struct ow_msg *m);
/* A call in transaction `tran` (0: in none; `log`: the mark of the log that gave
 * the number) has ended with `tperr`: what its caller need not see dooms it.
 * Never waits. */
void ow_br_tran_failed(struct ow_br_tran *t, uint64_t tran, int32_t log,
		       int tperr);
/* On the delivery thread: a request of `node`, which names a transaction of this
 * node, and perhaps which log has given its number. `held` comes back by ow_br_request_held(). False: it cannot be
 * asked for. May hold the lock. */
bool ow_br_tran_check(struct ow_br_tran *t, uint32_t node,
		      const struct ow_br_frame *f, void *held);
/* Before the first of these: 0 or -ENOMEM. */
int ow_br_tran_make(struct ow_br_peers *ps, struct ow_br_calls *calls,
		    struct ow_br_tran **ret);
/* Before the first check(): who gets what was held back. `t` may be NULL. */
void ow_br_tran_serve(struct ow_br_tran *t, struct ow_br_inbound *in);
/* Now and then. A tmsrv that is silent, here or there, holds up the threads that
 * ask it: what waits behind them gets others. */
void ow_br_tran_look(struct ow_br_tran *t);
/* Is no request in hand that waits for tmsrv? */
bool ow_br_tran_is_idle(struct ow_br_tran *t);
/* Wait until its threads have ended. */
void ow_br_tran_stop(struct ow_br_tran *t);

#endif
