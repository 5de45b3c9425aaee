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
 * caller: 0; 1, the queue is empty; -1. "Q:NAME" is a queue, else the name of a service. A coin carries
 * the id of the transfer that has put it; ret_coin: that of the one that was
 * taken. */
int place_add(const char *place, long id, int sign, long *ret_coin);

#endif
