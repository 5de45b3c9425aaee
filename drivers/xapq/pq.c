/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pq.c - libndrxxapq.so: PostgreSQL as a resource manager
 *
 * PostgreSQL prepares a transaction in the session that has done its work
 * (PREPARE TRANSACTION), and ends it in any session (COMMIT PREPARED). So each
 * service has a branch of its own (TMNOMIGRATE), and xa_end() prepares it:
 * whoever asks xa_prepare() afterwards looks whether it is there. Work whose
 * xa_end() did not succeed is not there, and cannot be committed.
 *
 * The open string is JSON, {"url":"postgresql://..."}, or a connection string
 * of libpq. A server that does not sync is refused, unless it has
 * "durable":"N". A program gets its PGconn by tpgetconn(). One connection for
 * each thread; a second one if it commits a branch beside another (TMASYNC).
 *
 * A branch that may be the last resource (libatmi/xa/last.h) is not prepared: its
 * connection is parked with it.
 */
#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <userlog.h>
#include <xatmi.h>

#include "drivers/parking/open.h"
#include "drivers/xapq/database.h"
#include "drivers/xapq/parked.h"
#include "drivers/xapq/rows.h"
#include "libatmi/xa/last.h"

/* The name of the statement that looks whether a branch is there. Not the view
 * pg_prepared_xacts: to plan its joins takes longer than all else in a commit. */
#define LOOK	 "onewake_is_prepared"
#define LOOK_SQL "SELECT 1 FROM pg_prepared_xact() WHERE gid = $1 AND dbid = " \
		 "(SELECT oid FROM pg_database WHERE datname = " \
		 "current_database())"

static __thread PGconn *conn;
static __thread char *open_string;
static __thread PGconn *aside;		  /* for TMASYNC; NULL: none yet */
static __thread bool is_sent;		  /* a commit, there */
static __thread bool has_sent;		  /* the last run() */
static __thread bool can_look;		  /* the connection knows LOOK */
static __thread time_t examined;	  /* when the server's settings were */
static __thread char in_branch[GID_SIZE]; /* "": none */

/* ---- statements ---- */

/* Run `sql`: XA_OK; as db_fail(); `xa` also if its command tag is not `tag`. What
 * is not sent has certainly done nothing: the server has gone before. */
static int run(const char *sql, const char *tag, int xa)
{
	PGresult *r;

	has_sent = false;
	if (db_is_lost(conn))
		return XAER_RMFAIL;
	has_sent = true;
	r = db_execute(conn, sql);
	if (PQresultStatus(r) != PGRES_COMMAND_OK)
		xa = db_fail(conn, r, sql, xa);
	else if (strcmp(PQcmdStatus(r), tag) == 0)
		xa = XA_OK;
	PQclear(r);
	return xa;
}

static int run_gid(const char *verb, const char *gid, const char *tag, int xa)
{
	char sql[GID_SIZE + 64];

	snprintf(sql, sizeof(sql), "%s '%s'", verb, gid);
	return run(sql, tag, xa);
}

/* ---- connections ---- */

/* The connection string of an open string: malloc'ed. */
static char *url_of(const char *info)
{
	const char *p = strstr(info, "\"url\""), *end;

	if (info[strspn(info, " \t")] != '{')
		return strdup(info);
	if (p == NULL)
		return NULL;
	p = strchr(p + 5, '"');
	end = p != NULL ? strchr(p + 1, '"') : NULL;
	return end != NULL ? strndup(p + 1, (size_t)(end - p - 1)) : NULL;
}

/* "durable":"N" in the open string: what was told committed may get lost. */
static bool may_lose(const char *info)
{
	const char *p = strstr(info, "\"durable\"");

	if (p == NULL || info[strspn(info, " \t")] != '{')
		return false;
	p += strlen("\"durable\"");
	p += strspn(p, " \t:\"");
	return *p == 'N' || *p == 'n';
}

/* A vote that is not on disk is no vote: a power cut of the database takes its
 * part of the transaction back, and no other. */
static int check_durable(const char *info, const char *name, const char *value)
{
	if (strcmp(value, "off") != 0)
		return XA_OK;
	if (may_lose(info)) {
		userlog((char *)"postgresql: WARNING: %s is off: a power cut "
			"can take back what was told committed. "
			"NDRX_XA_OPEN_STR allows it by \"durable\":\"N\"",
			name);
		return XA_OK;
	}
	userlog((char *)"postgresql: %s is off: what is prepared or committed "
		"may not be on disk, so its word cannot be believed. Set it to "
		"on, or say \"durable\":\"N\" in NDRX_XA_OPEN_STR", name);
	return XAER_RMERR;
}

/* Without the first of these settings nothing can be prepared. `again`: what a
 * program has set in its session does not count. */
static int check_settings(const char *info, PGconn *db, bool again)
{
	PGresult *r = db_execute(db, "SELECT current_setting("
				   "'max_prepared_transactions'), "
				   "current_setting('fsync'), "
				   "current_setting('synchronous_commit'), "
				   "current_setting('full_page_writes')");
	enum { SYNCHRONOUS_COMMIT = 2 };
	static const char *const names[] = {
		"", "fsync", [SYNCHRONOUS_COMMIT] = "synchronous_commit",
		"full_page_writes"
	};
	int xa = XA_OK, i;

	if (PQresultStatus(r) != PGRES_TUPLES_OK) {
		xa = db_fail(db, r, "current_setting", XAER_RMERR);
	} else if (atoi(PQgetvalue(r, 0, 0)) == 0) {
		userlog((char *)"postgresql: max_prepared_transactions is 0: "
			"set it in postgresql.conf to at least the number of "
			"servers and threads that use it, and restart");
		xa = XAER_RMERR;
	}
	for (i = 1; i < 4 && xa == XA_OK; i++)
		if (!again || i != SYNCHRONOUS_COMMIT)
			xa = check_durable(info, names[i],
					   PQgetvalue(r, 0, i));
	PQclear(r);
	return xa;
}

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* Each connection, since the server may be another one than before. */
static int open_connection(const char *info, PGconn **ret)
{
	char *url = url_of(info);
	PGconn *db;
	int xa;

	if (url == NULL) {
		userlog((char *)"postgresql: NDRX_XA_OPEN_STR: give "
			"{\"url\":\"postgresql://...\"}");
		return XAER_INVAL;
	}
	db = db_connect(url);
	free(url);
	xa = PQstatus(db) == CONNECTION_OK
		 ? check_settings(info, db, false)
		 : db_fail(db, NULL, "connect", XAER_RMFAIL);
	if (xa == XA_OK) {
		*ret = db;
		examined = now();
	} else {
		db_close(db);
	}
	return xa;
}

/* The server may have been told to sync no more, while all runs. Once a second. */
static int examine(void)
{
	int xa;

	if (conn == NULL || may_lose(open_string) || now() == examined)
		return XA_OK;
	xa = check_settings(open_string, conn, true);
	if (xa == XA_OK)
		examined = now();
	return xa;
}

/* ---- open, close ---- */

/* Where the other one is lost while a commit is out over the second one, that one
 * stays: pq_complete() reads its answer. */
static int pq_close(char *info, int rmid, long flags)
{
	db_close(conn);
	if (!is_sent) {
		db_close(aside);
		aside = NULL;
	}
	free(open_string);
	conn = NULL;
	open_string = NULL;
	can_look = false;
	in_branch[0] = '\0';
	return XA_OK;
}

/* A child of fork() opens connections of its own, if it needs some. */
static void forget(void)
{
	conn = aside = NULL;
	can_look = is_sent = false;
	in_branch[0] = '\0';
}

static int pq_open(char *info, int rmid, long flags)
{
	int xa;

	if (conn != NULL)
		return XA_OK;
	db_at_fork(forget);
	free(open_string);
	open_string = strdup(info);
	xa = open_string != NULL ? open_connection(info, &conn) : XAER_RMERR;
	if (xa != XA_OK)
		pq_close(info, rmid, flags);
	return xa;
}

/* ---- branches ---- */

/* The thread goes on with another one. Without one its next branch finds that it
 * is lost, and opens. */
static void change_connection(void)
{
	conn = park_take_spare();
	can_look = false;
	if (conn == NULL)
		(void)open_connection(open_string, &conn);
}

/* Not in the middle of an answer, which a program may have left half read. */
static bool takes_commands(void)
{
	return PQtransactionStatus(conn) != PQTRANS_ACTIVE &&
	       PQpipelineStatus(conn) == PQ_PIPELINE_OFF;
}

/* A service has left it so that it takes no command. */
static void give_up_connection(void)
{
	userlog((char *)"postgresql: a service has not read all of an answer: "
		"its work is rolled back, with its connection");
	db_close(conn);
	change_connection();
}

static int pq_start(XID *x, int rmid, long flags)
{
	int xa;

	if (flags != TMNOFLAGS)
		return XAER_INVAL;
	if (in_branch[0] != '\0')
		return XAER_PROTO;
	if (conn != NULL && !takes_commands())
		give_up_connection();
	if (conn != NULL && PQtransactionStatus(conn) > PQTRANS_IDLE &&
	    PQtransactionStatus(conn) < PQTRANS_UNKNOWN)
		return XAER_OUTSIDE;
	xa = examine();
	if (xa == XA_OK)
		xa = run("BEGIN", "BEGIN", XAER_RMERR);
	if (xa == XA_OK)
		db_gid(x, in_branch);
	return xa;
}

/* Work that cannot be ended by a command ends with its connection, or it would
 * keep its locks as long as this process lives. */
static int roll_back(void)
{
	if (takes_commands()) {
		int xa = run("ROLLBACK", "ROLLBACK", XAER_RMERR);

		return xa == XA_OK ? XA_RBROLLBACK : xa;
	}
	give_up_connection();
	return XA_RBROLLBACK;
}

static int pq_end(XID *x, int rmid, long flags)
{
	char gid[GID_SIZE];
	int xa;

	db_gid(x, gid);
	if (strcmp(gid, in_branch) != 0)
		return XAER_NOTA;
	in_branch[0] = '\0';
	if ((flags & TMFAIL) || !takes_commands())
		return roll_back();
	/* A statement has failed: the tag is ROLLBACK then. */
	xa = run_gid("PREPARE TRANSACTION", gid, "PREPARE TRANSACTION",
		     XA_RBROLLBACK);
	if (xa == XA_RBROLLBACK && PQtransactionStatus(conn) != PQTRANS_IDLE)
		run("ROLLBACK", "ROLLBACK", XAER_RMERR);
	return xa;
}

/* Once for each connection. */
static int learn_to_look(void)
{
	PGresult *r;
	int xa = XA_OK;

	if (can_look)
		return XA_OK;
	r = db_answer(conn, PQsendPrepare(conn, LOOK, LOOK_SQL, 1, NULL));
	if (PQresultStatus(r) != PGRES_COMMAND_OK)
		xa = db_fail(conn, r, LOOK_SQL, XAER_RMERR);
	PQclear(r);
	can_look = xa == XA_OK;
	return xa;
}

static int pq_prepare(XID *x, int rmid, long flags)
{
	const char *values[1];
	char gid[GID_SIZE];
	PGresult *r;
	int xa;

	if (conn == NULL)
		return XAER_RMFAIL;
	xa = learn_to_look();
	if (xa != XA_OK)
		return xa;
	db_gid(x, gid);
	values[0] = gid;
	r = db_answer(conn, PQsendQueryPrepared(conn, LOOK, 1, values, NULL,
						 NULL, 0));
	if (PQresultStatus(r) != PGRES_TUPLES_OK)
		xa = db_fail(conn, r, LOOK, XAER_RMERR);
	else
		xa = PQntuples(r) == 1 ? XA_OK : XAER_NOTA;
	PQclear(r);
	return xa;
}

/* Send the commit of a prepared branch: a handle, or XAER_ASYNC, which says
 * that nothing was done. */
static int send_commit(const char *gid)
{
	char sql[GID_SIZE + 64];

	if (is_sent || open_string == NULL)
		return XAER_ASYNC;
	if (aside == NULL)
		(void)open_connection(open_string, &aside);
	if (db_is_lost(aside)) {
		db_close(aside);
		aside = NULL;
		return XAER_ASYNC;
	}
	snprintf(sql, sizeof(sql), "COMMIT PREPARED '%s'", gid);
	is_sent = true;
	/* If it fails something may have gone out: pq_complete() tells. */
	(void)PQsendQuery(aside, sql);
	return 0;
}

static int pq_complete(int *handle, int *retval, int rmid, long flags)
{
	PGresult *r = NULL;
	int xa = XAER_RMFAIL;

	if (!is_sent)
		return XAER_INVAL;
	is_sent = false;
	if (aside != NULL)
		r = db_answer(aside, 1);
	if (PQresultStatus(r) == PGRES_COMMAND_OK)
		xa = XA_OK;
	else if (aside != NULL)
		xa = db_fail(aside, r, "COMMIT PREPARED", XA_RETRY);
	PQclear(r);
	if (xa == XAER_RMFAIL) {
		db_close(aside);
		aside = NULL;
	}
	*retval = xa;
	return XA_OK;
}

static int pq_commit(XID *x, int rmid, long flags)
{
	char gid[GID_SIZE];

	db_gid(x, gid);
	if (flags == TMASYNC)
		return send_commit(gid);
	/* Not XAER_RMERR: it is still prepared. */
	return run_gid("COMMIT PREPARED", gid, "COMMIT PREPARED",
		       flags & TMONEPHASE ? XAER_RMFAIL : XA_RETRY);
}

static int pq_rollback(XID *x, int rmid, long flags)
{
	char gid[GID_SIZE];

	db_gid(x, gid);
	return run_gid("ROLLBACK PREPARED", gid, "ROLLBACK PREPARED",
		       XAER_RMERR);
}

static int pq_recover(XID *xids, long max, int rmid, long flags)
{
	int i, n = 0;
	PGresult *r;

	if ((flags & TMSTARTRSCAN) == 0)
		return 0;
	if (conn == NULL)
		return XAER_RMFAIL;
	r = db_execute(conn, "SELECT gid FROM pg_prepared_xacts WHERE gid LIKE "
		   "'ow:%' AND database = current_database()");
	if (PQresultStatus(r) != PGRES_TUPLES_OK)
		n = db_fail(conn, r, "pg_prepared_xacts", XAER_RMERR);
	for (i = 0; n >= 0 && i < PQntuples(r) && n < max; i++)
		n += db_read_gid(PQgetvalue(r, i, 0), &xids[n]);
	PQclear(r);
	return n;
}

static int pq_forget(XID *x, int rmid, long flags)
{
	return XA_OK;
}

/* ---- the last resource ---- */

static int last_end(XID *x, uint64_t until_ns)
{
	char gid[GID_SIZE];

	db_gid(x, gid);
	if (strcmp(gid, in_branch) != 0)
		return XAER_NOTA;
	in_branch[0] = '\0';
	if (!takes_commands())
		return roll_back();
	if (db_is_lost(conn))
		return XAER_RMFAIL;
	if (PQtransactionStatus(conn) != PQTRANS_INTRANS ||
	    park(x, conn, until_ns, may_lose(open_string)) != 0) {
		(void)roll_back();
		return XA_RBROLLBACK;
	}
	change_connection();
	return XA_OK;
}

static int last_commit(XID *x, const char *words)
{
	return parking_commit_open(&park_driver, x, words, rows_insert);
}

static int last_rollback(XID *x)
{
	return parking_ask_open(&park_driver, x, PARKING_ROLLBACK, "");
}

static int last_open(XID *x, const struct ow_xa_life *life)
{
	return rows_open(conn, x, life);
}

static int last_outcome(XID *x)
{
	return rows_outcome(conn, x);
}

static int last_each(XID *x,
		     void (*found)(const XID *row, const char *words,
				   void *arg),
		     void *arg)
{
	return rows_each(conn, x, found, arg);
}

static int last_forget(const XID *rows, int n)
{
	return rows_forget(conn, rows, n);
}

static const struct ow_xa_last last = {
	.end = last_end,
	.commit = last_commit,
	.rollback = last_rollback,
	.open = last_open,
	.outcome = last_outcome,
	.each = last_each,
	.forget = last_forget,
};

static struct xa_switch_t pq_switch = {
	.name = "PostgreSQL",
	.flags = TMNOMIGRATE | TMUSEASYNC,
	.version = 0,
	.xa_open_entry = pq_open,
	.xa_close_entry = pq_close,
	.xa_start_entry = pq_start,
	.xa_end_entry = pq_end,
	.xa_rollback_entry = pq_rollback,
	.xa_prepare_entry = pq_prepare,
	.xa_commit_entry = pq_commit,
	.xa_recover_entry = pq_recover,
	.xa_forget_entry = pq_forget,
	.xa_complete_entry = pq_complete,
};

#pragma GCC visibility push(default)

struct xa_switch_t *ndrx_get_xa_switch(void);
void *ndrx_xa_connection(void);
void ndrx_xa_end_prepares(void);
int ndrx_xa_has_sent(void);
const struct ow_xa_last *ndrx_xa_last(void);

struct xa_switch_t *ndrx_get_xa_switch(void)
{
	return &pq_switch;
}

void *ndrx_xa_connection(void)
{
	if (conn == NULL && open_string != NULL)
		(void)open_connection(open_string, &conn);
	return conn;
}

/* That it is there says it: nobody calls it. */
void ndrx_xa_end_prepares(void)
{
}

/* After XAER_RMFAIL of an entry that ends a branch. */
int ndrx_xa_has_sent(void)
{
	return has_sent;
}

const struct ow_xa_last *ndrx_xa_last(void)
{
	return &last;
}

#pragma GCC visibility pop
