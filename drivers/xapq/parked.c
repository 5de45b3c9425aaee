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

#include "drivers/parking/ask.h"

/* A program's session may have it off: what it has committed was never more than
 * likely. The decision of a transaction is. */
#define SYNCED                                                          \
	"SELECT set_config('synchronous_commit', 'on', true) WHERE "    \
	"current_setting('synchronous_commit') = 'off'; "

/* The row of the decision is not for what has only read, and will do no more: an
 * error, after which the branch goes on at the savepoint. Within it nothing is
 * written: that would take a transaction number more for each commit. */
#define BEFORE_ROW                                                        \
	"SAVEPOINT onewake; SELECT (CASE WHEN "                           \
	"current_setting('transaction_read_only') = 'on' AND "            \
	"txid_current_if_assigned() IS NULL THEN 'onewake: only read' "   \
	"ELSE '1' END)::int; RELEASE SAVEPOINT onewake; "
#define HAS_ONLY_READ  "22P02"
#define BACK_TO_BRANCH "ROLLBACK TO SAVEPOINT onewake; "

/* What the commit waits for, such as a deferred foreign key, may be locked by
 * another branch of the transaction, which is prepared and waits for this one.
 * Shorter than what the process waits for its database. */
#define LIMITED "SET LOCAL lock_timeout = '10s'; "

struct parked {
	struct parking at; /* first */
	bool may_lose;
	char gid[GID_SIZE];
};

/* ---- orders, in the thread ---- */

static void let_go(struct parked *p, bool usable);

/* What has only read can end in either way, unless it has asked for something that
 * comes with its commit (NOTIFY), or has read what was not so (serializable). Both
 * are refused when it is prepared: XA_RDONLY, or XA_RBROLLBACK. */
static int end_reader(const struct parked *p)
{
	char sql[GID_SIZE + sizeof(BACK_TO_BRANCH) + 32];
	PGresult *r;
	int xa = XA_RBROLLBACK;

	snprintf(sql, sizeof(sql), BACK_TO_BRANCH "PREPARE TRANSACTION '%s'",
		 p->gid);
	r = db_execute(p->at.db, sql);
	if (PQresultStatus(r) == PGRES_COMMAND_OK &&
	    strcmp(PQcmdStatus(r), "PREPARE TRANSACTION") == 0)
		xa = XA_RDONLY;
	PQclear(r);
	if (xa != XA_RDONLY)
		return xa;
	/* If that fails it is an orphan, which has no work. */
	snprintf(sql, sizeof(sql), "ROLLBACK PREPARED '%s'", p->gid);
	PQclear(db_execute(p->at.db, sql));
	return xa;
}

/* Nothing has been sent over a connection that is lost: its branch ends with
 * it. */
static int commit(const struct parked *p, const char *row)
{
	char *sql = malloc(strlen(row) + sizeof(BEFORE_ROW LIMITED SYNCED) + 32);
	PGconn *db = p->at.db;
	int xa = XAER_RMFAIL;
	bool goes_on;
	PGresult *r;

	if (sql == NULL || db_is_lost(db)) {
		free(sql);
		return XA_RBROLLBACK; /* as if it had never been asked for */
	}
	sprintf(sql, "%s" LIMITED "%s%s%sCOMMIT",
		*row != '\0' ? BEFORE_ROW : "", p->may_lose ? "" : SYNCED, row,
		*row != '\0' ? "; " : "");
	r = db_execute_all(db, sql, &goes_on);
	if (*row != '\0' && !goes_on && db_is_error(r, HAS_ONLY_READ))
		xa = end_reader(p);
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
	if (order[0] != PARKING_COMMIT && order[0] != PARKING_ROLLBACK)
		return XAER_INVAL;
	if (order[0] == PARKING_COMMIT)
		result = commit(p, order + 1);
	if (order[0] == PARKING_ROLLBACK || result == XA_RBROLLBACK)
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

const struct parking_driver park_driver = {
	.name = "pq",
	.answer_seconds = DB_ANSWER_SECONDS,
	.obey = obey,
	.late = late,
	.is_usable = is_usable,
	.close = finish,
};

static void let_go(struct parked *p, bool usable)
{
	parking_end(&p->at);
	if (usable)
		parking_give_spare(&park_driver, p->at.db);
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
	db_gid(x, p->gid);
	r = parking_listen(&p->at, &park_driver, x);
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
