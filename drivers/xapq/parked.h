/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked.h - open branches of this process, and the orders that end them
 *
 * A branch that may be the last resource is not prepared: nobody but its
 * connection can end it. So the connection is parked with it
 * (drivers/parking/parking.h), and ended when a tmsrv orders that. Without an
 * order until its time is over the branch is rolled back.
 *
 * An order is a byte and, for a commit with a row, the statement that makes the
 * row.
 */
#ifndef OW_PQ_PARKED_H
#define OW_PQ_PARKED_H

#include <stdint.h>

#include "drivers/parking/parking.h"
#include "drivers/xapq/database.h"

/* Whose branches these are: for orders to them (drivers/parking/open.h). */
extern const struct parking_driver park_driver;

/* Park `db` with the branch `x`: 0; -errno, then it is still the caller's.
 * `may_lose`: its commit may be one that is not synced, if the program has set
 * its session so. */
int park(const XID *x, PGconn *db, uint64_t until_ns, bool may_lose);
/* A connection whose branch has ended; NULL: there is none. */
PGconn *park_take_spare(void);

#endif
