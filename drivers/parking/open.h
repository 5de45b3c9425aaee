/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.h - give orders for open branches, which a tmsrv ends without having
 * prepared them
 */
#ifndef OW_PARKING_OPEN_H
#define OW_PARKING_OPEN_H

#include <xa.h>

#include "drivers/parking/ask.h"
#include "drivers/parking/parking.h"

/* Give an order to the process that has the open branch `x`: what it answers;
 * XAER_NOTA, nobody has it; XA_RETRY, the order could not be sent, and the branch
 * may be there; XAER_RMFAIL, no answer came. That of a commit without a row
 * (`row` "") is waited for as long as the process waits for the database: nobody
 * else knows. */
int parking_ask_open(const struct parking_driver *driver, const XID *x,
		     enum parking_order order, const char *row);
/* Order the commit with the row that has `words`, or without one (NULL): as
 * ow_xa_last.commit(). `insert` makes the statement, malloc'ed. */
int parking_commit_open(const struct parking_driver *driver, const XID *x,
			const char *words,
			char *(*insert)(const XID *x, const char *words));

#endif
