/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - what a tmsrv that opens its rows in a database finds there
 *
 * onewake.decision has the rows (doc/design/last_resource.md), onewake.log the
 * identities of the logs that know this database, and for each the last lives of
 * its tmsrv, "IDENTITY:LIFE". Statements are those that all
 * databases understand; a driver says how it runs them.
 */
#ifndef OW_PARKING_LOG_H
#define OW_PARKING_LOG_H

#include <xa.h>

#include "drivers/parking/key.h"
#include "libatmi/xa/last.h"

struct parking_rows {
	const char *name; /* of the database, in the userlog */
	/* "INSERT INTO" and what is behind it, for a row that may be there. */
	const char *insert, *unless_there;
	void *db;
	/* A statement without rows, a number: XA_OK, or what its failure means. */
	int (*command)(void *db, const char *sql);
	int (*number)(void *db, const char *sql, long *ret);
};

#define PARKING_NAME_SIZE (KEY_SIZE + 17)

/* The tables are there. Rows that nobody needs any more are removed, those that
 * an operator may need are told, and the log of `x` is known, and the life before
 * this one; this one is from now on: XA_OK; XAER_NOTA, it is not known; or as
 * command() and number(). */
int parking_log_open(const struct parking_rows *rows, const XID *x,
		     const struct ow_xa_life *life);
/* The identity in onewake.log of this life of the tmsrv of `x`. A database that
 * does not have it is not the one that was opened. */
void parking_log_name(const XID *x, char to[PARKING_NAME_SIZE]);

#endif
