/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked.h - open branches of this process, and the thread that ends them
 *
 * A branch that may be the last resource is not prepared: nobody but its
 * connection can end it. So the connection is parked with it, and a thread of
 * this process ends it when a tmsrv orders that, by a socket whose address is
 * that of the branch. The service's thread goes on with another connection;
 * those whose branch has ended are used again. Without an order until its time
 * is over the branch is rolled back.
 *
 * An order is a byte and, for a commit with a row, the statement that makes the
 * row; its answer is the result of XA (int32_t). Only processes of the same user
 * are heard.
 */
#ifndef OW_PQ_PARKED_H
#define OW_PQ_PARKED_H

#include <stdint.h>

#include "drivers/xapq/database.h"

enum park_order {
	PARK_COMMIT = 'c',
	PARK_ROLLBACK = 'r',
};

#define PARK_MOST 60000 /* bytes of an order */

/* Park `db` with the branch `x`: 0; -errno, then it is still the caller's. */
int park(const XID *x, PGconn *db, uint64_t until_ns);
/* A connection whose branch has ended; NULL: there is none. */
PGconn *park_take_spare(void);

/* Give an order to the process that has branch `x`: what it answers; XAER_NOTA,
 * nobody has it, or the order could not be sent; XAER_RMFAIL, no answer came. */
int park_ask(const XID *x, enum park_order order, const char *sql);

#endif
