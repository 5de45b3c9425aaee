/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - what a tmsrv that opens its rows in a database finds there
 */
#include "drivers/parking/log.h"

#include <stdio.h>
#include <userlog.h>

#include "drivers/parking/key.h"

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

static int know(const struct parking_rows *rows, const XID *x, bool make)
{
	char key[KEY_SIZE], sql[KEY_SIZE + 120];
	long n = 0;
	int xa = XA_OK;

	key_of(x, KEY_IDENTITY_BYTES, key);
	if (make) {
		snprintf(sql, sizeof(sql), "%s onewake.log (identity) VALUES "
			 "('%s')%s", rows->insert, key, rows->unless_there);
		xa = rows->command(rows->db, sql);
	}
	snprintf(sql, sizeof(sql), "SELECT count(*) FROM onewake.log WHERE "
		 "identity = '%s'", key);
	if (xa == XA_OK)
		xa = rows->number(rows->db, sql, &n);
	return xa == XA_OK && n == 0 ? XAER_NOTA : xa;
}

int parking_log_open(const struct parking_rows *rows, const XID *x, bool make)
{
	int xa = remove_old(rows);

	if (xa == XA_OK)
		xa = tell_old(rows);
	return xa == XA_OK ? know(rows, x, make) : xa;
}
