/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database.c - connections to PostgreSQL, and the names of branches there
 */
#include "drivers/xapq/database.h"

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <userlog.h>

#include "drivers/parking/parking.h"

/* ---- names ---- */

void db_gid(const XID *x, char to[GID_SIZE])
{
	long i, n = x->gtrid_length + x->bqual_length;
	int at = snprintf(to, GID_SIZE, "ow:%lx:", x->formatID);

	for (i = 0; i < n && at + 3 < GID_SIZE; i++)
		at += snprintf(to + at, (size_t)(GID_SIZE - at), "%s%02x",
			       i == x->gtrid_length ? ":" : "",
			       (unsigned char)x->data[i]);
}

static long bytes_of(const char **at, char *to, long room)
{
	unsigned int byte;
	long n = 0;

	while (n < room && sscanf(*at, "%2x", &byte) == 1 && **at != ':') {
		to[n++] = (char)byte;
		*at += 2;
	}
	return n;
}

bool db_read_gid(const char *gid, XID *ret)
{
	const char *at;
	int skip = 0;

	memset(ret, 0, sizeof(*ret));
	if (sscanf(gid, "ow:%lx:%n", &ret->formatID, &skip) != 1 || skip == 0)
		return false;
	at = gid + skip;
	ret->gtrid_length = bytes_of(&at, ret->data, MAXGTRIDSIZE);
	if (*at++ != ':')
		return false;
	ret->bqual_length = bytes_of(&at, ret->data + ret->gtrid_length,
				     MAXBQUALSIZE);
	return *at == '\0';
}

/* ---- deadlines ---- */

#define CONNECT_SECONDS "10"

static int ms_until(const struct timespec *end)
{
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (int64_t)(end->tv_sec - now.tv_sec) * 1000 +
	     (end->tv_nsec - now.tv_nsec) / 1000000;
	return ms > 0 ? (int)ms : 0;
}

/* What was sent is answered, or the connection is cut: then PQgetResult() has
 * an error without a state. */
void db_await(PGconn *db)
{
	struct pollfd p = { .fd = PQsocket(db), .events = POLLIN };
	struct timespec end;
	int r = 1;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += DB_ANSWER_SECONDS;
	while (p.fd >= 0 && PQisBusy(db)) {
		r = poll(&p, 1, ms_until(&end));
		if (r == 0) {
			userlog((char *)"postgresql: no answer for %d s: the "
				"connection is given up", DB_ANSWER_SECONDS);
			shutdown(p.fd, SHUT_RDWR);
		}
		if (!PQconsumeInput(db))
			return;
	}
}

/* The last result of what was sent (`sent`: PQsend...() has said so). */
static PGresult *answer(PGconn *db, int sent, bool *ret_any)
{
	PGresult *r = NULL, *next;

	if (!sent)
		return NULL;
	db_await(db);
	while ((next = PQgetResult(db)) != NULL) {
		*ret_any |= PQntuples(next) > 0;
		PQclear(r);
		r = next;
		db_await(db);
	}
	return r;
}

PGresult *db_answer(PGconn *db, int sent)
{
	bool any = false;

	return answer(db, sent, &any);
}

PGresult *db_execute_all(PGconn *db, const char *sql, bool *ret_any)
{
	*ret_any = false;
	return answer(db, PQsendQuery(db, sql), ret_any);
}

PGresult *db_execute(PGconn *db, const char *sql)
{
	return db_answer(db, PQsendQuery(db, sql));
}

/* ---- farewells ---- */

static PQnoticeReceiver usual; /* of libpq: it calls a program's processor */

static bool is_of_class(const PGresult *r, const char *class)
{
	const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);

	return state != NULL && strncmp(state, class, strlen(class)) == 0;
}

/* The server ends this connection after it. */
static bool is_farewell(const PGresult *r)
{
	const char *s = PQresultErrorField(r, PG_DIAG_SEVERITY_NONLOCALIZED);

	return is_of_class(r, "57P") ||
	       (s != NULL &&
		(strcmp(s, "FATAL") == 0 || strcmp(s, "PANIC") == 0));
}

/* What comes beside the answers: warnings, and errors that nothing was asked
 * for. After a farewell the connection is cut on our side, too, so that nobody
 * sends a command that no server reads. What libpq has read stays readable. */
static void on_notice(void *arg, const PGresult *r)
{
	if (is_farewell(r))
		shutdown(PQsocket(arg), SHUT_RDWR);
	__atomic_load_n(&usual, __ATOMIC_RELAXED)(NULL, r);
}

/* Read and understand all that has come, while no command is under way: false,
 * the server has gone, or has said that it goes. A farewell may lie in the
 * buffer of libpq, behind the last answer, or in the socket, with or without the
 * end of the connection behind it. */
static bool hear(PGconn *db)
{
	struct pollfd p = { .fd = PQsocket(db), .events = POLLIN };

	(void)PQisBusy(db);
	while (poll(&p, 1, 0) > 0) {
		if (!PQconsumeInput(db))
			return false;
		(void)PQisBusy(db);
	}
	return PQstatus(db) == CONNECTION_OK;
}

bool db_is_lost(PGconn *db)
{
	return db == NULL || PQstatus(db) != CONNECTION_OK || !hear(db);
}

static void (*at_fork)(void);

void db_at_fork(void (*forget)(void))
{
	__atomic_store_n(&at_fork, forget, __ATOMIC_RELAXED);
}

static int descriptor(void *db)
{
	return PQsocket(db);
}

void db_close(PGconn *db)
{
	if (db != NULL)
		parking_drop(db);
	PQfinish(db);
}

PGconn *db_connect(const char *url)
{
	const char *const names[] = { "connect_timeout", "dbname", NULL };
	const char *const values[] = { CONNECT_SECONDS, url, NULL };
	PGconn *db = PQconnectdbParams(names, values, 1);
	PQnoticeReceiver was = PQsetNoticeReceiver(db, on_notice, db);

	if (was != NULL)
		__atomic_store_n(&usual, was, __ATOMIC_RELAXED);
	if (db != NULL)
		parking_hold(db, descriptor,
			     __atomic_load_n(&at_fork, __ATOMIC_RELAXED));
	return db;
}

/* ---- statements ---- */

/* A statement has failed, which `what` names: XAER_NOTA, it names a prepared
 * transaction that is not there; XAER_RMFAIL, the connection is lost; else
 * `xa`. A failure that the server reports has a state. */
int db_fail(const PGconn *db, const PGresult *r, const char *what, int xa)
{
	if (is_of_class(r, "42704"))
		return XAER_NOTA;
	if (!is_of_class(r, "") || is_of_class(r, "08") || is_farewell(r) ||
	    PQstatus(db) == CONNECTION_BAD)
		xa = XAER_RMFAIL;
	userlog((char *)"postgresql: %s: %s", what, PQerrorMessage(db));
	return xa;
}

/* Not every error is a refusal: the connection may be lost (08), the server may
 * end, after a PANIC with the commit on disk, and 40003 means that it does not
 * know. */
bool db_is_error(const PGresult *r, const char *state)
{
	return is_of_class(r, state);
}

bool db_is_refusal(const PGresult *r)
{
	return is_of_class(r, "") && !is_farewell(r) && !is_of_class(r, "08") &&
	       !is_of_class(r, "40003");
}
