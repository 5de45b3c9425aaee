/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.h - where money can be: accounts of a service, coins in a durable queue
 */
#ifndef TRANSFER_PLACES_H
#define TRANSFER_PLACES_H

#define SPACE	 "S"	/* the queue space */
#define ACCOUNTS 10	/* of a database */
#define AMOUNT	 1	/* of a transfer: one coin */

/* Add AMOUNT to `place`, or take it away (`sign` -1), in the transaction of the
 * caller: 0, -1. "Q:NAME" is a queue, else the name of a service. */
int place_add(const char *place, long id, int sign);

#endif
