/* SPDX-License-Identifier: Apache-2.0 */
/*
 * byhand.c - the statements of a transaction of two branches, sent by hand
 *
 *	byhand THREADS EACH URL
 *
 * Each thread has two connections to PostgreSQL. In both it begins, changes an
 * account, notes the transfer, and prepares; then it commits in both at the same
 * time, as a tmsrv does: what is left out is all that Onewake does beside. The
 * result is one JSON object (crew.h).
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/crew.h"
#include "libatmi/base/clock.h"

static const char *url;

static int run(PGconn *db, const char *sql)
{
	PGresult *r = PQexec(db, sql);
	int ok = PQresultStatus(r) == PGRES_COMMAND_OK;

	if (!ok)
		fprintf(stderr, "byhand: %s: %s", sql, PQerrorMessage(db));
	PQclear(r);
	return ok ? 0 : -1;
}

static int prepare(PGconn *db, long id, long account)
{
	char sql[160];
	int r = run(db, "BEGIN");

	snprintf(sql, sizeof(sql), "update account set balance = balance + 0 "
		 "where id = %ld", account);
	r |= run(db, sql);
	snprintf(sql, sizeof(sql), "insert into moved (id) values (%ld)", id);
	r |= run(db, sql);
	snprintf(sql, sizeof(sql), "PREPARE TRANSACTION 'hand:%ld'", id);
	return r | run(db, sql);
}

/* Wait for the answer of what was sent. */
static int finish(PGconn *db)
{
	PGresult *r;
	int failed = 0;

	while ((r = PQgetResult(db)) != NULL) {
		failed |= PQresultStatus(r) != PGRES_COMMAND_OK;
		PQclear(r);
	}
	return failed ? -1 : 0;
}

static int one(struct crew_worker *w, long id)
{
	PGconn **db = w->own;
	char sql[64];
	uint64_t t;
	int i, r = prepare(db[0], 2 * id, w->account) |
		   prepare(db[1], 2 * id + 1, w->account + 1);

	t = ow_clock_mono_ns();
	for (i = 0; i < 2; i++) {
		snprintf(sql, sizeof(sql), "COMMIT PREPARED 'hand:%ld'",
			 2 * id + i);
		r |= PQsendQuery(db[i], sql) == 1 ? 0 : -1;
	}
	r |= finish(db[0]) | finish(db[1]);
	w->commit_ns += ow_clock_mono_ns() - t;
	return r;
}

static void begin(struct crew_worker *w)
{
	PGconn **db = calloc(2, sizeof(*db));

	if (db == NULL)
		exit(1);
	db[0] = PQconnectdb(url);
	db[1] = PQconnectdb(url);
	w->own = db;
}

static void end(struct crew_worker *w)
{
	PGconn **db = w->own;

	PQfinish(db[0]);
	PQfinish(db[1]);
	free(db);
}

int main(int argc, char **argv)
{
	struct crew crew = { .begin = begin, .one = one, .end = end };

	if (argc != 4)
		return 2;
	crew.threads = atol(argv[1]);
	crew.each = atol(argv[2]);
	url = argv[3];
	if (crew.threads < 1 || crew.threads > CREW_MAX)
		return 2;
	return crew_run(&crew);
}
