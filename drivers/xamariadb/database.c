/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database.c - connections to MariaDB, and what its errors mean to XA
 */
#include "drivers/xamariadb/database.h"

#include <errmsg.h>
#include <errno.h>
#include <mysqld_error.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <userlog.h>

#include "drivers/parking/parking.h"

#define CONNECT_SECONDS 5
#define TOKEN_SIZE	24

/* ---- errors ---- */

static const struct meaning {
	unsigned int error;
	int xa;
} meanings[] = {
	{ ER_XAER_NOTA, XAER_NOTA },
	{ ER_XAER_INVAL, XAER_INVAL },
	{ ER_XAER_RMFAIL, XAER_PROTO }, /* "not in this state": no outage */
	{ ER_XAER_OUTSIDE, XAER_OUTSIDE },
	{ ER_XAER_RMERR, XAER_RMERR },
	{ ER_XAER_DUPID, XAER_DUPID },
	{ ER_XA_RBROLLBACK, XA_RBROLLBACK },
	{ ER_XA_RBTIMEOUT, XA_RBTIMEOUT },
	{ ER_XA_RBDEADLOCK, XA_RBDEADLOCK },
	{ ER_LOCK_DEADLOCK, XA_RBDEADLOCK },
	{ ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION, XA_RDONLY },
	{ ER_SERVER_SHUTDOWN, XAER_RMFAIL },
	{ ER_NORMAL_SHUTDOWN, XAER_RMFAIL },
	{ ER_CONNECTION_KILLED, XAER_RMFAIL },
	{ ER_CON_COUNT_ERROR, XAER_RMFAIL },
	{ ER_NEW_ABORTING_CONNECTION, XAER_RMFAIL },
};

int db_error(MYSQL *db, const char *what)
{
	unsigned int e = mysql_errno(db);
	int xa = XAER_RMERR;
	size_t i;

	/* What the client library itself reports is a lost connection. */
	if (e >= CR_MIN_ERROR && e <= CR_MAX_ERROR)
		xa = XAER_RMFAIL;
	for (i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].error == e)
			xa = meanings[i].xa;
	if (xa != XAER_NOTA && xa != XA_RDONLY && (xa < XA_RBBASE || xa > XA_RBEND))
		userlog((char *)"mariadb: %.120s: %s (%u)", what,
			mysql_error(db), e);
	return xa;
}

/* ---- statements ---- */

/* A server says nothing by itself but that it goes. */
bool db_is_lost(MYSQL *db)
{
	struct pollfd p = { .fd = (int)mysql_get_socket(db),
			    .events = POLLIN };

	return p.fd < 0 || poll(&p, 1, 0) != 0;
}

/* A server that says nothing for so long is taken for lost: its connection is
 * cut, and reading the answer fails. Only its own branches wait. */
static void await_answer(MYSQL *db)
{
	struct pollfd p = { .fd = (int)mysql_get_socket(db),
			    .events = POLLIN };
	int r;

	do {
		r = poll(&p, 1, DB_ANSWER_SECONDS * 1000);
	} while (r < 0 && errno == EINTR);
	if (r != 0)
		return;
	userlog((char *)"mariadb: no answer for %d s: the connection is given "
		"up", DB_ANSWER_SECONDS);
	shutdown(p.fd, SHUT_RDWR);
}

int db_run(MYSQL *db, const char *sql)
{
	if (db == NULL)
		return XAER_RMFAIL;
	if (mysql_send_query(db, sql, (unsigned long)strlen(sql)) != 0)
		return db_error(db, sql);
	await_answer(db);
	return mysql_read_query_result(db) == 0 ? XA_OK : db_error(db, sql);
}

int db_run_on(MYSQL *db, const char *verb, const char *name)
{
	char sql[NAME_SIZE + 32];

	snprintf(sql, sizeof(sql), "%s %s", verb, name);
	return db_run(db, sql);
}

static void end_limit(struct parking_limit *l)
{
	if (parking_limit_end(l))
		userlog((char *)"mariadb: no answer for %d s: the connection "
			"is given up", DB_ANSWER_SECONDS);
}

static int read_rows(MYSQL *db, const char *sql, MYSQL_RES **ret)
{
	MYSQL_RES *rows = NULL;

	if (mysql_read_query_result(db) == 0)
		rows = mysql_store_result(db);
	if (rows == NULL)
		return db_error(db, sql);
	*ret = rows;
	return XA_OK;
}

/* Some of an answer with rows may be in the library already, where poll() does not
 * see it, so another thread cuts a connection over which the rest does not
 * come. */
int db_query(MYSQL *db, const char *sql, MYSQL_RES **ret)
{
	struct parking_limit limit;
	int xa;

	if (db == NULL)
		return XAER_RMFAIL;
	if (mysql_send_query(db, sql, (unsigned long)strlen(sql)) != 0)
		return db_error(db, sql);
	parking_limit_begin(&limit, (int)mysql_get_socket(db),
			    DB_ANSWER_SECONDS);
	xa = read_rows(db, sql, ret);
	end_limit(&limit);
	return xa;
}

/* 1 and 3: InnoDB syncs its log before it says that something is prepared or
 * committed. A vote that is not on disk is no vote: a power cut takes this part
 * of the transaction back, and no other. */
static bool is_synced(const char *value)
{
	return value != NULL &&
	       (strcmp(value, "1") == 0 || strcmp(value, "3") == 0);
}

/* "durable":"N" in the open string, which all connections of a process share. */
static bool allowed;

static bool may_lose(void)
{
	return __atomic_load_n(&allowed, __ATOMIC_RELAXED);
}

/* A question that nobody else has asked, and whether the server syncs what it says
 * is prepared: that can be set at any time. */
static bool ask_token(MYSQL *db, char token[TOKEN_SIZE])
{
	static unsigned long n;
	char sql[160];

	snprintf(token, TOKEN_SIZE, "%d%06lu", (int)getpid(),
		 __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED));
	snprintf(sql, sizeof(sql), "SET STATEMENT max_statement_time = 0, "
		 "sql_select_limit = 1 FOR SELECT %s, "
		 "@@GLOBAL.innodb_flush_log_at_trx_commit", token);
	if (mysql_send_query(db, sql, (unsigned long)strlen(sql)) == 0)
		return true;
	(void)db_error(db, sql);
	return false;
}

enum told {
	TOLD_OTHERS = 1, /* it was not the answer, or there was none */
	TOLD_NO_SYNC,	 /* it was: what is prepared may not be on disk */
};

/* Its caller limits the time. */
static int is_told(MYSQL *db, const char *token)
{
	MYSQL_RES *rows;
	MYSQL_ROW row;
	int r = TOLD_OTHERS;

	if (mysql_read_query_result(db) != 0) {
		(void)db_error(db, "is it in step?");
		return r;
	}
	rows = mysql_store_result(db);
	row = rows != NULL ? mysql_fetch_row(rows) : NULL;
	if (row != NULL && row[0] != NULL && strcmp(row[0], token) == 0)
		r = mysql_num_fields(rows) == 2 && is_synced(row[1])
			? 0
			: TOLD_NO_SYNC;
	mysql_free_result(rows);
	return r;
}

static int ask_and_hear(MYSQL *db)
{
	struct parking_limit limit;
	char token[TOKEN_SIZE];
	int r;

	if (!ask_token(db, token))
		return TOLD_OTHERS;
	parking_limit_begin(&limit, (int)mysql_get_socket(db),
			    DB_ANSWER_SECONDS);
	r = is_told(db, token);
	end_limit(&limit);
	return r;
}

bool db_is_in_step(MYSQL *db)
{
	return ask_and_hear(db) != TOLD_OTHERS;
}

/* What the service did may get lost, when others are committed. */
static void tell_no_sync(void)
{
	static time_t told; /* several threads may do so: no harm */
	time_t now = time(NULL);

	if (now - __atomic_load_n(&told, __ATOMIC_RELAXED) < 60)
		return;
	__atomic_store_n(&told, now, __ATOMIC_RELAXED);
	userlog((char *)"mariadb: innodb_flush_log_at_trx_commit was set to "
		"another value than 1 or 3: work in transactions is rolled "
		"back until it is set back");
}

int db_look(MYSQL *db)
{
	int r = ask_and_hear(db);

	if (r == TOLD_NO_SYNC && !may_lose())
		tell_no_sync();
	return r == TOLD_OTHERS			  ? XAER_RMFAIL
	       : r == TOLD_NO_SYNC && !may_lose() ? XA_RBOTHER
						  : XA_OK;
}

/* The answers to a question and to a statement that were sent together. */
static int read_both(MYSQL *db, const char *token, const char *sql)
{
	int told = is_told(db, token);

	if (told == TOLD_OTHERS) {
		userlog((char *)"mariadb: a service has not read an answer, or "
			"its transaction has ended: its connection is given up");
		return XAER_RMFAIL;
	}
	if (mysql_read_query_result(db) != 0)
		return db_error(db, sql);
	if (told == 0 || may_lose())
		return XA_OK;
	tell_no_sync();
	return XA_RBOTHER;
}

int db_run_in_step(MYSQL *db, const char *verb, const char *name)
{
	char sql[NAME_SIZE + 32], token[TOKEN_SIZE];
	struct parking_limit limit;
	int xa;

	snprintf(sql, sizeof(sql), "%s %s", verb, name);
	if (!ask_token(db, token))
		return XAER_RMFAIL;
	if (mysql_send_query(db, sql, (unsigned long)strlen(sql)) != 0)
		return db_error(db, sql);
	parking_limit_begin(&limit, (int)mysql_get_socket(db),
			    DB_ANSWER_SECONDS); /* as in db_query() */
	xa = read_both(db, token, sql);
	end_limit(&limit);
	return xa;
}

/* The library forgets how many rows were affected when it sends. */
bool db_has_unread(MYSQL *db)
{
	return mysql_affected_rows(db) == (my_ulonglong)-1 &&
	       mysql_errno(db) == 0 && !db_is_in_step(db);
}

/* ---- the open string ---- */

/* A member of {"name":"value",...}; "": it is not there. */
static void member(const char *info, const char *name, char *to, size_t size)
{
	char quoted[32];
	const char *p;

	to[0] = '\0';
	snprintf(quoted, sizeof(quoted), "\"%s\"", name);
	p = strstr(info, quoted);
	if (p == NULL)
		return;
	p += strlen(quoted);
	p += strspn(p, " \t:\"");
	snprintf(to, size, "%.*s", (int)strcspn(p, "\","), p);
	to[strcspn(to, "}")] = '\0';
}

struct place {
	char socket[128], host[128], port[16], user[80], password[128], db[80];
	char durable[8]; /* N: what was told committed may get lost */
};

static bool read_place(const char *info, struct place *p)
{
	member(info, "socket", p->socket, sizeof(p->socket));
	member(info, "host", p->host, sizeof(p->host));
	member(info, "port", p->port, sizeof(p->port));
	member(info, "user", p->user, sizeof(p->user));
	member(info, "password", p->password, sizeof(p->password));
	member(info, "database", p->db, sizeof(p->db));
	member(info, "durable", p->durable, sizeof(p->durable));
	return info[strspn(info, " \t")] == '{' &&
	       (p->socket[0] != '\0' || p->host[0] != '\0');
}

static const char *or_null(const char *s)
{
	return *s != '\0' ? s : NULL;
}

/* ---- connect ---- */

static void begin_library(void)
{
	mysql_server_init(0, NULL, NULL);
}

/* A branch that its process has left is ended only when InnoDB says that its
 * connection has (left.c). */
static int check_rights(MYSQL *db)
{
	MYSQL_RES *rows = NULL;
	int xa = db_query(db, "SHOW ENGINE INNODB STATUS", &rows);

	if (xa == XAER_RMERR)
		userlog((char *)"mariadb: the user needs the privilege "
			"PROCESS: GRANT PROCESS ON *.* TO ...");
	mysql_free_result(rows);
	return xa;
}

static bool has_binary_log; /* several threads may write it: no harm */

bool db_has_binary_log(void)
{
	return __atomic_load_n(&has_binary_log, __ATOMIC_RELAXED);
}

/* It can be set at any time. */
static int check_durable(MYSQL *db)
{
	static bool warned; /* several threads may do so: no harm */
	MYSQL_RES *rows = NULL;
	MYSQL_ROW row;
	const char *value;
	int xa = db_query(db, "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit, "
			  "@@GLOBAL.log_bin", &rows);

	if (xa != XA_OK)
		return xa;
	row = mysql_fetch_row(rows);
	value = row != NULL && row[0] != NULL ? row[0] : "?";
	__atomic_store_n(&has_binary_log, row == NULL || row[1] == NULL ||
			 strcmp(row[1], "0") != 0, __ATOMIC_RELAXED);
	if (is_synced(value)) {
		xa = XA_OK;
	} else if (may_lose()) {
		if (!__atomic_exchange_n(&warned, true, __ATOMIC_RELAXED))
			userlog((char *)"mariadb: WARNING: "
				"innodb_flush_log_at_trx_commit is %s: a power "
				"cut can take back what was told committed. "
				"NDRX_XA_OPEN_STR allows it by "
				"\"durable\":\"N\"", value);
	} else {
		userlog((char *)"mariadb: innodb_flush_log_at_trx_commit is "
			"%s, not 1: what is prepared or committed may not be "
			"on disk, so its word cannot be believed. Set it to 1, "
			"or say \"durable\":\"N\" in NDRX_XA_OPEN_STR", value);
		xa = XAER_RMERR;
	}
	mysql_free_result(rows);
	return xa;
}

static void (*at_fork)(void);

void db_at_fork(void (*forget)(void))
{
	__atomic_store_n(&at_fork, forget, __ATOMIC_RELAXED);
}

static int descriptor(void *db)
{
	return (int)mysql_get_socket(db);
}

void db_stay(MYSQL *db)
{
	my_bool no = 0;

	mysql_options(db, MYSQL_OPT_RECONNECT, &no);
}

void db_close(MYSQL *db)
{
	if (db == NULL)
		return;
	parking_drop(db);
	mysql_close(db);
}

int db_connect(const char *info, MYSQL **ret)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static bool examined; /* several threads may do so: no harm */
	unsigned int seconds = CONNECT_SECONDS;
	struct place p;
	MYSQL *db;
	int xa = XA_OK;

	pthread_once(&once, begin_library);
	if (!read_place(info, &p)) {
		userlog((char *)"mariadb: NDRX_XA_OPEN_STR: give {\"socket\":"
			"\"...\",\"user\":\"...\",\"database\":\"...\"}, or "
			"\"host\" and \"port\"");
		return XAER_INVAL;
	}
	__atomic_store_n(&allowed, p.durable[0] == 'N' || p.durable[0] == 'n',
			 __ATOMIC_RELAXED);
	db = mysql_init(NULL);
	if (db == NULL)
		return XAER_RMERR;
	mysql_options(db, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
	if (mysql_real_connect(db, or_null(p.host), or_null(p.user),
			       or_null(p.password), or_null(p.db),
			       (unsigned int)atoi(p.port), or_null(p.socket),
			       0) == NULL)
		xa = db_error(db, "connect");
	if (xa == XA_OK && !__atomic_load_n(&examined, __ATOMIC_RELAXED))
		xa = check_rights(db);
	if (xa == XA_OK)
		xa = check_durable(db);
	if (xa != XA_OK) {
		mysql_close(db);
		return xa;
	}
	__atomic_store_n(&examined, true, __ATOMIC_RELAXED);
	parking_hold(db, descriptor,
		     __atomic_load_n(&at_fork, __ATOMIC_RELAXED));
	*ret = db;
	return XA_OK;
}
