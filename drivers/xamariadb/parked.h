/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked.h - prepared branches of this process, and the orders that end them
 *
 * MariaDB lets nobody but the connection that has prepared a branch end it, until
 * that connection has ended. So the connection is parked with its branch
 * (drivers/parking/parking.h), and ends it when a tmsrv orders that. An order is
 * one byte. A branch that may be the last resource is parked in the same way, but
 * open; an order to commit it has the statement that makes the row behind it.
 */
#ifndef OW_MARIADB_PARKED_H
#define OW_MARIADB_PARKED_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/parking/ask.h"
#include "drivers/parking/parking.h"
#include "drivers/xamariadb/database.h"

struct parked;

/* Whose branches these are: for orders to open ones (drivers/parking/open.h). */
extern const struct parking_driver park_driver;

/* Before it is prepared: listen at the address of `x`. 0 or -errno. */
int park_listen(const XID *x, struct parked **ret);
/* It is prepared: take the connection, and orders. */
void park(struct parked *p, MYSQL *db, const char *name);
/* It is open: take the connection, and orders, until `until_ns`
 * (CLOCK_MONOTONIC), when it is rolled back. 0; -errno, then the caller has the
 * connection, and `p` is gone. */
int park_open(struct parked *p, MYSQL *db, const char *name,
	      uint64_t until_ns);
/* It is not: the address is given back. */
void park_not(struct parked *p);

/* A connection whose branch has ended; NULL: there is none. */
MYSQL *park_take_spare(void);
/* Close those: the database was lost. */
void park_drop_spares(void);

/* No process has the branch. */
#define PARK_GONE 1000

/* Give an order to the process that has the prepared branch `x`: what it answers;
 * PARK_GONE; XAER_RMFAIL: it has not answered, died meanwhile, or has not sent anything.
 * *ret_sent: becomes true when the order may have reached the database. */
int park_ask(const XID *x, enum parking_order order, bool *ret_sent);

#endif
