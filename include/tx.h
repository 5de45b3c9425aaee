/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tx.h - transaction demarcation of X/Open (C504)
 *
 * Every function returns TX_OK or a negative TX_* value. They can be mixed with
 * tpbegin(), tpcommit() and tpabort() of xatmi.h.
 */
#ifndef TX_H
#define TX_H

#include <xa.h>

typedef long COMMIT_RETURN;
#define TX_COMMIT_COMPLETED	  0L
#define TX_COMMIT_DECISION_LOGGED 1L

typedef long TRANSACTION_CONTROL;
#define TX_UNCHAINED 0L
#define TX_CHAINED   1L

typedef long TRANSACTION_TIMEOUT; /* seconds, 0: no limit */

typedef long TRANSACTION_STATE;
#define TX_ACTIVE		 0L
#define TX_TIMEOUT_ROLLBACK_ONLY 1L
#define TX_ROLLBACK_ONLY	 2L

struct tx_info_t {
	XID xid; /* formatID NULLXID: not in a transaction */
	COMMIT_RETURN when_return;
	TRANSACTION_CONTROL transaction_control;
	TRANSACTION_TIMEOUT transaction_timeout;
	TRANSACTION_STATE transaction_state;
};
typedef struct tx_info_t TXINFO;

#define TX_NOT_SUPPORTED      1
#define TX_OK		      0
#define TX_OUTSIDE	      (-1)
#define TX_ROLLBACK	      (-2)
#define TX_MIXED	      (-3)
#define TX_HAZARD	      (-4)
#define TX_PROTOCOL_ERROR     (-5)
#define TX_ERROR	      (-6)
#define TX_FAIL		      (-7)
#define TX_EINVAL	      (-8)
#define TX_COMMITTED	      (-9)
#define TX_NO_BEGIN	      (-100)
#define TX_ROLLBACK_NO_BEGIN  (TX_ROLLBACK + TX_NO_BEGIN)
#define TX_MIXED_NO_BEGIN     (TX_MIXED + TX_NO_BEGIN)
#define TX_HAZARD_NO_BEGIN    (TX_HAZARD + TX_NO_BEGIN)
#define TX_COMMITTED_NO_BEGIN (TX_COMMITTED + TX_NO_BEGIN)

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Open and close the resource manager of this process; idempotent. (TX) */
extern int tx_open(void);
extern int tx_close(void);

/* Begin, commit, roll back the caller's transaction. (TX) */
extern int tx_begin(void);
extern int tx_commit(void);
extern int tx_rollback(void);

/* 1: in a transaction; 0: outside; negative TX_*. `info` may be NULL. (TX) */
extern int tx_info(TXINFO *info);

/* Set when tx_commit() returns, whether transactions are chained, and the
 * time-out of later transactions in seconds. (TX) */
extern int tx_set_commit_return(COMMIT_RETURN when_return);
extern int tx_set_transaction_control(TRANSACTION_CONTROL control);
extern int tx_set_transaction_timeout(TRANSACTION_TIMEOUT timeout);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
