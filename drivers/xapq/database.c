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

/* A server that says nothing for so long is taken for lost: it may be stopped,
 * or the network silent. Only its own branches wait. */
#define ANSWER_SECONDS	20
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
	end.tv_sec += ANSWER_SECONDS;
	while (p.fd >= 0 && PQisBusy(db)) {
		r = poll(&p, 1, ms_until(&end));
		if (r == 0) {
			userlog((char *)"postgresql: no answer for %d s: the "
				"connection is given up", ANSWER_SECONDS);
			shutdown(p.fd, SHUT_RDWR);
		}
		if (!PQconsumeInput(db))
			return;
	}
}

/* The last result of what was sent (`sent`: PQsend...() has said so). */
PGresult *db_answer(PGconn *db, int sent)
{
	PGresult *r = NULL, *next;

	if (!sent)
		return NULL;
	db_await(db);
	while ((next = PQgetResult(db)) != NULL) {
		PQclear(r);
		r = next;
		db_await(db);
	}
	return r;
}

PGresult *db_execute(PGconn *db, const char *sql)
{
	return db_answer(db, PQsendQuery(db, sql));
}

PGconn *db_connect(const char *url)
{
	const char *const names[] = { "connect_timeout", "dbname", NULL };
	const char *const values[] = { CONNECT_SECONDS, url, NULL };

	return PQconnectdbParams(names, values, 1);
}

/* ---- statements ---- */

/* A statement has failed, which `what` names: XAER_NOTA, it names a prepared
 * transaction that is not there; XAER_RMFAIL, the connection is lost; else
 * `xa`. A failure that the server reports has a state. */
int db_fail(const PGconn *db, const PGresult *r, const char *what, int xa)
{
	const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);

	if (state != NULL && strcmp(state, "42704") == 0)
		return XAER_NOTA;
	if (state == NULL || strncmp(state, "08", 2) == 0 ||
	    strncmp(state, "57P", 3) == 0 ||
	    PQstatus(db) == CONNECTION_BAD)
		xa = XAER_RMFAIL;
	userlog((char *)"postgresql: %s: %s", what, PQerrorMessage(db));
	return xa;
}

/* Nothing was asked, so nothing is to be read, but that the server has gone, or
 * a notice: also one that it is going, with the end behind it. One read takes
 * the notice only. */
bool db_is_lost(PGconn *db)
{
	struct pollfd p = { .fd = PQsocket(db), .events = POLLIN };

	if (db == NULL || PQstatus(db) != CONNECTION_OK)
		return true;
	while (poll(&p, 1, 0) > 0)
		if (!PQconsumeInput(db))
			return true;
	return PQstatus(db) != CONNECTION_OK;
}
