/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switch.c - libndrxxamariadb.so: MariaDB as a resource manager
 *
 * XA START ... JOIN and RESUME, and XA END ... SUSPEND, are errors in MariaDB: a
 * branch belongs to the connection that has begun it. So each service has a
 * branch of its own (TMNOMIGRATE), and xa_end() prepares it. Work whose xa_end()
 * did not succeed is not prepared, and cannot be committed. The connection stays
 * with the branch until that has ended (parked.h): the next branch of the thread
 * gets another one, and tpgetconn() returns that.
 *
 * A branch that may be the last resource (libatmi/xa/last.h) is not prepared, but
 * parked as it is (last.h).
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <userlog.h>
#include <xatmi.h>

#include "drivers/parking/open.h"
#include "drivers/xamariadb/last.h"
#include "drivers/xamariadb/left.h"
#include "drivers/xamariadb/parked.h"
#include "drivers/xamariadb/rows.h"
#include "libatmi/xa/last.h"

static __thread MYSQL *conn;
static __thread char in_branch[NAME_SIZE]; /* "": none */
static __thread bool sent; /* an order to end a branch, by the last entry */
static __thread char open_string[MAXINFOSIZE];

/* ---- open, close ---- */

static int need_connection(void)
{
	if (conn == NULL)
		conn = park_take_spare();
	return conn != NULL ? XA_OK : db_connect(open_string, &conn);
}

/* A child of fork() opens connections of its own, if it needs some. */
static void forget(void)
{
	conn = NULL;
	in_branch[0] = '\0';
}

static int maria_open(char *info, int rmid, long flags)
{
	if (conn != NULL)
		return XA_OK;
	db_at_fork(forget);
	snprintf(open_string, sizeof(open_string), "%s", info);
	in_branch[0] = '\0';
	return db_connect(open_string, &conn);
}

static int maria_close(char *info, int rmid, long flags)
{
	db_close(conn);
	conn = NULL;
	in_branch[0] = '\0';
	park_drop_spares();
	return XA_OK;
}

/* ---- the work ---- */

/* Work that is not prepared ends with its connection: one that a program has left
 * in the middle of an answer takes no command. */
static int drop_work(void)
{
	db_close(conn);
	conn = NULL;
	return XA_RBROLLBACK;
}

/* What a service has sent outside of a transaction, and not read, is lost. */
static int need_connection_in_step(void)
{
	int xa = need_connection();

	if (xa != XA_OK || !db_has_unread(conn))
		return xa;
	userlog((char *)"mariadb: a service has not read an answer: its "
		"connection is given up");
	(void)drop_work();
	return need_connection();
}

static int maria_start(XID *x, int rmid, long flags)
{
	char name[NAME_SIZE];
	int xa;

	if (flags != TMNOFLAGS)
		return XAER_INVAL;
	if (in_branch[0] != '\0')
		return XAER_PROTO;
	xa = need_connection_in_step();
	if (xa == XA_OK && !name_of(x, mysql_thread_id(conn), name))
		xa = XAER_INVAL;
	if (xa == XA_OK) {
		db_stay(conn);
		xa = db_run_on(conn, "XA START", name);
	}
	if (xa == XA_OK)
		strcpy(in_branch, name);
	return xa;
}

static int roll_back(const char *name, int why)
{
	int xa = db_run_on(conn, "XA ROLLBACK", name);

	return xa == XA_OK || (xa >= XA_RBBASE && xa <= XA_RBEND)
		       ? why
		       : drop_work();
}

static int prepare_and_park(const XID *x, const char *name)
{
	struct parked *p = NULL;
	int xa;

	if (park_listen(x, &p) != 0) {
		userlog((char *)"mariadb: a branch has no address");
		return roll_back(name, XA_RBOTHER);
	}
	xa = db_run_on(conn, "XA PREPARE", name);
	if (xa != XA_OK) {
		park_not(p);
		return xa == XAER_RMFAIL ? xa : roll_back(name, XA_RBROLLBACK);
	}
	park(p, conn, name);
	conn = park_take_spare();
	return XA_OK;
}

static int maria_end(XID *x, int rmid, long flags)
{
	char name[NAME_SIZE];
	int xa;

	if (conn == NULL || !name_of(x, mysql_thread_id(conn), name) ||
	    strcmp(name, in_branch) != 0)
		return XAER_NOTA;
	in_branch[0] = '\0';
	db_stay(conn);
	xa = db_run_in_step(conn, "XA END", name);
	if (xa >= XA_RBBASE && xa <= XA_RBEND)
		return roll_back(name, xa);
	if (xa != XA_OK)
		return drop_work();
	if (flags & TMFAIL)
		return roll_back(name, XA_RBROLLBACK);
	return prepare_and_park(x, name);
}

/* ---- the end, in the process of a tmsrv ---- */

static int end_branch(const XID *x, enum parking_order order, const char *verb)
{
	int xa;

	sent = false;
	xa = park_ask(x, order, &sent);
	if (xa != PARK_GONE)
		return xa;
	xa = need_connection();
	return xa == XA_OK ? left_end(conn, x, verb, &sent) : xa;
}

static int maria_prepare(XID *x, int rmid, long flags)
{
	char name[NAME_SIZE];
	int xa = park_ask(x, PARKING_PREPARE, &sent);

	if (xa != PARK_GONE)
		return xa;
	xa = need_connection();
	return xa == XA_OK ? left_find(conn, x, name) : xa;
}

static int maria_commit(XID *x, int rmid, long flags)
{
	int xa = end_branch(x, PARKING_COMMIT, "XA COMMIT");

	/* It is still prepared. */
	return xa == XAER_RMERR || xa == XAER_PROTO ? XAER_RMFAIL : xa;
}

static int maria_rollback(XID *x, int rmid, long flags)
{
	return end_branch(x, PARKING_ROLLBACK, "XA ROLLBACK");
}

static int maria_recover(XID *xids, long max, int rmid, long flags)
{
	int xa;

	if ((flags & TMSTARTRSCAN) == 0)
		return 0;
	xa = need_connection();
	return xa == XA_OK ? left_list(conn, xids, max) : xa;
}

static int maria_forget(XID *x, int rmid, long flags)
{
	return XA_OK;
}

static int maria_complete(int *handle, int *retval, int rmid, long flags)
{
	return XAER_INVAL;
}

/* ---- the last resource ---- */

static int end_open(XID *x, uint64_t until_ns)
{
	struct parked *p = NULL;
	char name[NAME_SIZE];
	int xa;

	if (conn == NULL || !name_of(x, mysql_thread_id(conn), name) ||
	    strcmp(name, in_branch) != 0)
		return XAER_NOTA;
	in_branch[0] = '\0';
	xa = last_look(conn);
	if (xa != XA_OK || park_listen(x, &p) != 0 ||
	    park_open(p, conn, name, until_ns) != 0) {
		if (xa == XAER_RMFAIL || !last_roll_back(conn, name))
			(void)drop_work();
		return xa == XAER_RMFAIL ? xa : XA_RBROLLBACK;
	}
	conn = park_take_spare();
	return XA_OK;
}

static int commit_open(XID *x, const char *words)
{
	return parking_commit_open(&park_driver, x, words, rows_insert);
}

static int roll_back_open(XID *x)
{
	return parking_ask_open(&park_driver, x, PARKING_ROLLBACK, "");
}

static int open_rows(XID *x, const struct ow_xa_life *life)
{
	int xa = need_connection();

	return xa == XA_OK ? rows_open(conn, x, life) : xa;
}

static int outcome_row(XID *x)
{
	int xa = need_connection();

	return xa == XA_OK ? rows_outcome(conn, x) : xa;
}

static int each_row(XID *x,
		    void (*found)(const XID *row, const char *words,
				  void *arg),
		    void *arg)
{
	int xa = need_connection();

	return xa == XA_OK ? rows_each(conn, x, found, arg) : xa;
}

static int forget_rows(const XID *rows, int n)
{
	int xa = need_connection();

	return xa == XA_OK ? rows_forget(conn, rows, n) : xa;
}

static const struct ow_xa_last last = {
	.end = end_open,
	.commit = commit_open,
	.rollback = roll_back_open,
	.open = open_rows,
	.outcome = outcome_row,
	.each = each_row,
	.forget = forget_rows,
};

static struct xa_switch_t maria_switch = {
	.name = "MariaDB",
	.flags = TMNOMIGRATE,
	.version = 0,
	.xa_open_entry = maria_open,
	.xa_close_entry = maria_close,
	.xa_start_entry = maria_start,
	.xa_end_entry = maria_end,
	.xa_rollback_entry = maria_rollback,
	.xa_prepare_entry = maria_prepare,
	.xa_commit_entry = maria_commit,
	.xa_recover_entry = maria_recover,
	.xa_forget_entry = maria_forget,
	.xa_complete_entry = maria_complete,
};

#pragma GCC visibility push(default)

struct xa_switch_t *ndrx_get_xa_switch(void);
void *ndrx_xa_connection(void);
void ndrx_xa_end_prepares(void);
int ndrx_xa_has_sent(void);
const struct ow_xa_last *ndrx_xa_last(void);

struct xa_switch_t *ndrx_get_xa_switch(void)
{
	return &maria_switch;
}

void *ndrx_xa_connection(void)
{
	return need_connection() == XA_OK ? conn : NULL;
}

/* That it is there says it: nobody calls it. */
void ndrx_xa_end_prepares(void)
{
}

/* After XAER_RMFAIL of an entry that ends a branch. */
int ndrx_xa_has_sent(void)
{
	return sent;
}

const struct ow_xa_last *ndrx_xa_last(void)
{
	return &last;
}

#pragma GCC visibility pop
