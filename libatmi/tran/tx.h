/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tx.h - the transaction of a context
 *
 * A context has at most one: begun by it, resumed, or that of the request which
 * it serves. Its number is in the context (call/context.h), so that requests
 * carry it; the rest is here. One thread at a time, as its context.
 *
 * The association with the resource manager (xa_start to xa_end) is of the
 * thread. A context that goes on in another thread cannot end it there: then
 * the transaction is rolled back.
 */
#ifndef OW_TX_H
#define OW_TX_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <xa.h>

#include "libatmi/tran/reservation.h"

struct ow_ctx;

struct ow_tx {
	/* of the context */
	bool logged;	 /* tpscmt(): commit returns when the decision is on
			    disk */
	bool chained;	 /* tx_set_transaction_control() */
	long timeout;	 /* seconds, tx_set_transaction_timeout() */
	uint32_t usual;	 /* resource manager that had most branches of the
			    last transaction that was committed; 0: unknown */
	uint64_t ended;	 /* the last one that this context has ended */
	struct ow_reservation reservation;
	/* of its transaction */
	uint64_t identity;
	uint64_t deadline_ns; /* of one begun here; 0: unknown */
	bool initiator; /* may commit it */
	bool shared; /* it was resumed: other contexts may hold it, too */
	bool doomed;	/* rollback only, as far as this context knows */
	bool undoomed;	/* its tmsrv could not be told that */
	bool associated;
	bool prepared; /* its branch has ended, and is prepared: its tmsrv
			  does not know yet */
	bool last;	  /* its branch may be the last resource, */
	uint64_t last_until_ns; /* which waits so long for an order */
	bool has_branch;  /* it is in its branch, or was */
	uint64_t asked_ns; /* its tmsrv, for that; of one that was given
			      ahead: tpbegin() */
	pthread_t thread; /* in which it is */
	uint32_t branch;
	XID xid; /* of the branch */
};

/* The state of the context, made if need be; NULL: no memory. */
struct ow_tx *ow_tx_need(struct ow_ctx *c);
/* The transaction of the context; NULL: it has none. */
struct ow_tx *ow_tx_of(struct ow_ctx *c);
/* The context has transaction `tran` from now on, none. `log`: the mark of the
 * log that has given the number, 0: not known. */
void ow_tx_set(struct ow_ctx *c, uint64_t tran, int32_t log);
/* The log of its transaction has this identity. */
void ow_tx_know(struct ow_ctx *c, struct ow_tx *t, uint64_t identity);
void ow_tx_clear(struct ow_ctx *c);

/* Has this thread called tpopen(), and not tpclose() since? */
bool ow_tran_is_open(void);
/* The same for tpbegin(): programs of Tuxedo without a resource manager begin
 * transactions without that (strict-tuxedo). */
bool ow_tran_may_begin(void);
/* This thread of the runtime begins transactions without a resource manager. */
void ow_tran_needs_no_open(void);

/* Begin one that ends after `timeout` seconds (0: as its tmsrv says): 0, or -1
 * with tperrno. This context may commit it. */
int ow_tx_begin(struct ow_ctx *c, unsigned long timeout);
/* The branch has ended. If that has prepared it, its tmsrv is told, and need not
 * ask. */
void ow_tx_tell_prepared(const struct ow_ctx *c, struct ow_tx *t);
/* Join the resource manager of this thread, if it has branches and is not in
 * one: 0, or -1 with tperrno. */
int ow_tx_join(struct ow_ctx *c, struct ow_tx *t);
/* End the association with the branch that a tmsrv has given: XA_OK, or what
 * xa_end() returned; XA_RBROLLBACK, the transaction has ended meanwhile. */
int ow_tx_end(struct ow_ctx *c, struct ow_tx *t, bool failed);
/* Nobody can commit it any more: 0; -1, its tmsrv could not be told. Leaves
 * tperrno alone. */
int ow_tx_doom(struct ow_ctx *c, struct ow_tx *t);
/* The same for a transaction that the context has left already, which is its
 * own (AUTOTRAN) or not. */
void ow_tx_doom_left(uint64_t tran, int32_t log, bool own);
/* End it by commit or abort: 0, or -1 with tperrno. The context has none then.
 * `op`: OW_TM_COMMIT, OW_TM_ABORT. */
int ow_tx_finish(struct ow_ctx *c, struct ow_tx *t, int op, bool logged);

/* ---- around a service ---- */

/* The request in hand is of transaction `tran`, whose log has this mark: 0, or
 * the tperrno for its caller. */
int ow_tx_enter(struct ow_ctx *c, uint64_t tran, int32_t log);
/* Begin a transaction for the service (AUTOTRAN): 0 with its number, or the
 * tperrno for the caller. The service cannot commit it, but in strict-enduro. */
int ow_tx_enter_own(struct ow_ctx *c, unsigned long timeout, uint64_t *ret);
/* The service ends: 0, or the tperrno that its caller gets in any case.
 * `failed`: it does not succeed; `spare`: that does not doom the transaction.
 * The context has none then. */
int ow_tx_leave(struct ow_ctx *c, bool failed, bool spare);
/* The service that owns transaction `own` ends: commit, or with `failed` roll
 * back. 0, or the tperrno that its caller gets in any case. */
int ow_tx_leave_own(struct ow_ctx *c, uint64_t own, bool failed);

#endif
