/* SPDX-License-Identifier: Apache-2.0 */
/*
 * last.h - what a driver offers whose branch may be the last resource of a
 * transaction
 *
 * Such a branch is not prepared when its service ends: its connection is parked
 * with the open transaction, in the process that has worked in it. When all
 * other branches are prepared the tmsrv orders its commit, and that one-phase
 * commit contains the decision, as a row with the words of the tmsrv. The row is
 * there exactly if the transaction is committed. doc/design/last_resource.md has
 * the protocol.
 *
 * A driver has it if its library exports ndrx_xa_last(), which returns this table
 * (never NULL). `x` is the XID of a branch; rows are found by its gtrid.
 */
#ifndef OW_XA_LAST_H
#define OW_XA_LAST_H

#include <stdbool.h>
#include <stdint.h>
#include <xa.h>

/* The lives of a tmsrv have numbers, which are never used twice. */
struct ow_xa_life {
	bool make; /* the database knows the log from now on */
	uint64_t was; /* it is to know that life; 0: the log only */
	uint64_t is;
};

struct ow_xa_last {
	/* In place of xa_end(TMSUCCESS), by a thread that is in the branch, which
	 * goes on with another connection: XA_OK, it is parked, until an order
	 * comes, or `until_ns` (CLOCK_MONOTONIC) when it is rolled back.
	 * Otherwise as xa_end(): the work is rolled back. */
	int (*end)(XID *x, uint64_t until_ns);
	/* The rest is a tmsrv's. Order the commit, with the row (`words`), or
	 * without one (NULL): XA_OK; XA_RBROLLBACK, it is rolled back;
	 * XA_RDONLY, it has only read, in a transaction that can hold no row,
	 * and has ended: the decision is to be kept elsewhere;
	 * XAER_NOTA, nobody has it, and no order has gone out; XA_RETRY, none
	 * has gone out, and it may be there; XAER_RMFAIL, not known. Needs no
	 * connection. */
	int (*commit)(XID *x, const char *words);
	/* XA_OK, XAER_NOTA, XA_RETRY, XAER_RMFAIL as above. */
	int (*rollback)(XID *x);
	/* The others need xa_open(), and return XAER_RMFAIL if the connection
	 * is lost. Rows of the log with the identity in `x` (its first eight
	 * bytes) can be kept, and are kept here: XA_OK, XAER_RMERR; XAER_NOTA,
	 * this database does not know the log, or the life before this one.
	 * From now on it knows this life, and a row is made and an outcome told
	 * by a database that does. XA_RDONLY, those of former times are there,
	 * but this database cannot decide: branches are prepared, and the
	 * userlog says why. */
	int (*open)(XID *x, const struct ow_xa_life *life);
	/* Is there a row? XA_OK, committed. XA_RBROLLBACK: no, and there will
	 * never be one, whatever is under way. */
	int (*outcome)(XID *x);
	/* Each row of a commit whose gtrid begins with the identity in `x` (its
	 * first eight bytes); the XID has the gtrid only. */
	int (*each)(XID *x,
		    void (*found)(const XID *row, const char *words,
				  void *arg),
		    void *arg);
	/* Remove n rows of commits, at least perhaps. */
	int (*forget)(const XID *rows, int n);
};

#endif
