/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked.c - open branches of this process, and the orders that end them
 */
#include "drivers/xapq/parked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>

#include "drivers/parking/parking.h"

#define NAME	       "pq" /* in addresses */
#define ANSWER_SECONDS 3    /* then the tmsrv asks the database */

/* A program's session may have it off: what it has committed was never more than
 * likely. The decision of a transaction is. */
#define SYNCED                                                          \
	"SELECT set_config('synchronous_commit', 'on', true) WHERE "    \
	"current_setting('synchronous_commit') = 'off'; "

/* One row: it has only read, and will do no more, so it can end in either way. What
 * a serializable transaction has read may be wrong: that needs its commit. */
#define READS                                                            \
	"SELECT 1 WHERE current_setting('transaction_read_only') = 'on' " \
	"AND txid_current_if_assigned() IS NULL AND "                     \
	"current_setting('transaction_isolation') <> 'serializable'; "

/* What the commit waits for, such as a deferred foreign key, may be locked by
 * another branch of the transaction, which is prepared and waits for this one.
 * Shorter than what the process waits for its database. */
#define LIMITED "SET LOCAL lock_timeout = '10s'; "

struct parked {
	struct parking at; /* first */
	bool may_lose;
};

/* ---- orders, in the thread ---- */

static void let_go(struct parked *p, bool usable);

/* Nothing has been sent over a connection that is lost: its branch ends with
 * it. */
static int commit(const struct parked *p, const char *row)
{
	char *sql = malloc(strlen(row) + sizeof(READS LIMITED SYNCED) + 32);
	PGconn *db = p->at.db;
	int xa = XAER_RMFAIL;
	bool reads;
	PGresult *r;

	if (sql == NULL || db_is_lost(db)) {
		free(sql);
		return XA_RBROLLBACK; /* as if it had never been asked for */
	}
	sprintf(sql, READS LIMITED "%s%s%sCOMMIT", p->may_lose ? "" : SYNCED, row,
		*row != '\0' ? "; " : "");
	r = db_execute_all(db, sql, &reads);
	if (reads && db_is_read_only(r))
		xa = XA_RDONLY;
	else if (PQresultStatus(r) == PGRES_COMMAND_OK)
		xa = strcmp(PQcmdStatus(r), "COMMIT") == 0 ? XA_OK
							   : XA_RBROLLBACK;
	else if (db_is_refusal(r))
		xa = XA_RBROLLBACK;
	if (xa != XA_OK && xa != XA_RDONLY)
		userlog((char *)"postgresql: the commit of a last resource: "
			"%s", PQerrorMessage(db));
	PQclear(r);
	free(sql);
	return xa;
}

static int roll_back(PGconn *db)
{
	PGresult *r = db_execute(db, "ROLLBACK");

	PQclear(r);
	return XA_OK; /* or the connection has ended, and the branch with it */
}

static int obey(struct parking *at, const char *order, size_t len)
{
	struct parked *p = (struct parked *)at;
	int result = XA_OK;

	(void)len;
	if (order[0] != PARK_COMMIT && order[0] != PARK_ROLLBACK)
		return XAER_INVAL;
	if (order[0] == PARK_COMMIT)
		result = commit(p, order + 1);
	if (order[0] == PARK_ROLLBACK || result == XA_RBROLLBACK ||
	    result == XA_RDONLY)
		roll_back(p->at.db);
	let_go(p, result != XAER_RMFAIL);
	return result;
}

static void late(struct parking *at)
{
	userlog((char *)"postgresql: a branch got no order in time: it is "
		"rolled back");
	roll_back(at->db);
	let_go((struct parked *)at, true);
}

/* ---- connections ---- */

static bool is_usable(void *db)
{
	return !db_is_lost(db) && PQtransactionStatus(db) == PQTRANS_IDLE;
}

static void finish(void *db)
{
	db_close(db);
}

static const struct parking_driver driver = {
	.name = NAME,
	.obey = obey,
	.late = late,
	.is_usable = is_usable,
	.close = finish,
};

static void let_go(struct parked *p, bool usable)
{
	parking_end(&p->at);
	if (usable)
		parking_give_spare(&driver, p->at.db);
	else
		finish(p->at.db);
	free(p);
}

/* ---- the service's thread ---- */

int park(const XID *x, PGconn *db, uint64_t until_ns, bool may_lose)
{
	struct parked *p = calloc(1, sizeof(*p));
	int r;

	if (p == NULL)
		return -ENOMEM;
	p->may_lose = may_lose;
	r = parking_listen(&p->at, &driver, x);
	if (r != 0) {
		free(p);
		return r;
	}
	r = parking_begin(&p->at, db, until_ns);
	if (r == 0)
		return 0;
	parking_end(&p->at);
	free(p);
	return r;
}

PGconn *park_take_spare(void)
{
	return parking_take_spare();
}

/* ---- a tmsrv ---- */

int park_ask(const XID *x, enum park_order order, const char *sql)
{
	bool alone = order == PARK_COMMIT && *sql == '\0';
	int result = XAER_RMFAIL;

	switch (parking_ask(NAME, x, (char)order, sql,
			    alone ? DB_ANSWER_SECONDS + ANSWER_SECONDS
				  : ANSWER_SECONDS,
			    &result)) {
	case PARKING_ANSWERED:
		return result;
	case PARKING_GONE:
		return XAER_NOTA;
	case PARKING_NOT_SENT:
		return XA_RETRY;
	default:
		return XAER_RMFAIL;
	}
}
