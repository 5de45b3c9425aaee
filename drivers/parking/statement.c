/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statement.c - statements about the rows of decisions that all databases
 * understand
 */
#include "drivers/parking/statement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void parking_select_outcome(const XID *x, char to[PARKING_STATEMENT])
{
	char key[KEY_SIZE];

	key_of(x, x->gtrid_length, key);
	snprintf(to, PARKING_STATEMENT, "SELECT committed FROM "
		 "onewake.decision WHERE gtrid = '%s'", key);
}

void parking_select_all(const XID *x, char to[PARKING_STATEMENT])
{
	char key[KEY_SIZE];

	key_of(x, KEY_IDENTITY_BYTES, key);
	snprintf(to, PARKING_STATEMENT, "SELECT gtrid, words FROM "
		 "onewake.decision WHERE gtrid LIKE '%s%%' AND committed", key);
}

char *parking_delete(const char *before, const XID *rows, int n,
		     const char *behind)
{
	size_t room = (size_t)n * (KEY_SIZE + 4) + strlen(before) +
		      strlen(behind) + 120, at;
	char key[KEY_SIZE], *sql = malloc(room);
	int i;

	if (sql == NULL)
		return NULL;
	at = (size_t)snprintf(sql, room, "%sDELETE FROM onewake.decision WHERE "
			      "committed AND gtrid IN (", before);
	for (i = 0; i < n; i++) {
		key_of(&rows[i], rows[i].gtrid_length, key);
		at += (size_t)snprintf(sql + at, room - at, "%s'%s'",
				       i > 0 ? "," : "", key);
	}
	snprintf(sql + at, room - at, ")%s", behind);
	return sql;
}
