/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - what a tmsrv that opens its rows in a database finds there
 */
#include "drivers/parking/log.h"

#include <stdint.h>
#include <stdio.h>
#include <userlog.h>

/* Those of transactions that were not committed. */
static int remove_old(const struct parking_rows *rows)
{
	return rows->command(rows->db, "DELETE FROM onewake.decision WHERE NOT "
				       "committed AND at < now() - INTERVAL "
				       "'7' DAY");
}

/* What is left is told, and kept: it is how an operator learns what a branch in
 * doubt is to become. */
static int tell_old(const struct parking_rows *rows)
{
	long n = 0;
	int xa = rows->number(rows->db, "SELECT count(*) FROM onewake.decision "
					"WHERE committed AND at < now() - "
					"INTERVAL '1' DAY", &n);

	if (n > 0)
		userlog((char *)"%s: onewake.decision has %ld decisions that "
			"are older than a day: of transactions whose branches "
			"have not all confirmed, or of a tmsrv whose log is "
			"gone. Once no branch of theirs is prepared they can be "
			"deleted", rows->name, n);
	return xa;
}

static uint64_t opened; /* the life of this tmsrv; 0: no database is opened */

static void name_of(const XID *x, uint64_t of, char to[PARKING_NAME_SIZE])
{
	char key[KEY_SIZE];

	key_of(x, KEY_IDENTITY_BYTES, key);
	snprintf(to, PARKING_NAME_SIZE, "%s:%016llx", key,
		 (unsigned long long)of);
}

void parking_log_name(const XID *x, char to[PARKING_NAME_SIZE])
{
	name_of(x, __atomic_load_n(&opened, __ATOMIC_RELAXED), to);
}

/* A row of onewake.log, if it is not there. */
static int add(const struct parking_rows *rows, const char *name)
{
	char sql[PARKING_NAME_SIZE + 120];

	snprintf(sql, sizeof(sql), "%s onewake.log (identity) VALUES ('%s')%s",
		 rows->insert, name, rows->unless_there);
	return rows->command(rows->db, sql);
}

/* Is there a row with this name? XA_OK; XAER_NOTA. */
static int look(const struct parking_rows *rows, const char *name)
{
	char sql[PARKING_NAME_SIZE + 120];
	long n = 0;
	int xa;

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM onewake.log WHERE "
		 "identity = '%s'", name);
	xa = rows->number(rows->db, sql, &n);
	return xa == XA_OK && n == 0 ? XAER_NOTA : xa;
}

/* Lives before the last one are not asked for any more. Their rows may be locked by
 * a commit that is under way: they stay then. */
static void remove_lives(const struct parking_rows *rows, const XID *x,
			 uint64_t before)
{
	char where[2 * PARKING_NAME_SIZE + 64], sql[sizeof(where) + 64];
	char first[PARKING_NAME_SIZE], last[PARKING_NAME_SIZE];
	long n = 0;

	name_of(x, 0, first);
	name_of(x, before, last);
	snprintf(where, sizeof(where), "FROM onewake.log WHERE identity > '%s' "
		 "AND identity < '%s'", first, last);
	snprintf(sql, sizeof(sql), "SELECT count(*) %s", where);
	if (rows->number(rows->db, sql, &n) != XA_OK || n == 0)
		return;
	snprintf(sql, sizeof(sql), "DELETE %s", where);
	(void)rows->command(rows->db, sql);
}

static int begin_life(const struct parking_rows *rows, const XID *x,
		      const struct ow_xa_life *life)
{
	char name[PARKING_NAME_SIZE];
	int xa;

	remove_lives(rows, x, life->was);
	name_of(x, life->is, name);
	xa = add(rows, name);
	if (xa == XA_OK)
		__atomic_store_n(&opened, life->is, __ATOMIC_RELAXED);
	return xa;
}

int parking_log_open(const struct parking_rows *rows, const XID *x,
		     const struct ow_xa_life *life)
{
	char key[KEY_SIZE], before[PARKING_NAME_SIZE];
	int xa = remove_old(rows);

	key_of(x, KEY_IDENTITY_BYTES, key);
	name_of(x, life->was, before);
	if (xa == XA_OK)
		xa = tell_old(rows);
	if (xa == XA_OK && life->make)
		xa = add(rows, key);
	if (xa == XA_OK)
		xa = look(rows, life->was != 0 ? before : key);
	return xa == XA_OK ? begin_life(rows, x, life) : xa;
}
