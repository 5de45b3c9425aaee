/* SPDX-License-Identifier: Apache-2.0 */
/*
 * last.c - the end of a branch that is not prepared: the last resource
 */
#include "drivers/xamariadb/last.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>

/* Of this statement alone. A commit waits for a lock on the row's key, or for
 * somebody who has locked all tables (FLUSH TABLES WITH READ LOCK): shorter than
 * what the process waits for its database. The session of a program may have any
 * mode and any limit. */
#define LIMITED                                                          \
	"SET STATEMENT lock_wait_timeout = 10, "                         \
	"innodb_lock_wait_timeout = 10, max_statement_time = 0, "        \
	"sql_mode = 'STRICT_ALL_TABLES' FOR BEGIN NOT ATOMIC "

int last_look(MYSQL *db)
{
	unsigned int status = 0;
	int xa;

	db_stay(db);
	if (db_has_binary_log()) {
		userlog((char *)"mariadb: log_bin is on: a branch cannot be the "
			"last resource");
		return XA_RBOTHER;
	}
	/* Not in the middle of an answer, nor after a deadlock. */
	xa = db_is_lost(db) ? XAER_RMFAIL : db_look(db);
	if (xa != XA_OK)
		return xa;
	mariadb_get_infov(db, MARIADB_CONNECTION_SERVER_STATUS, &status);
	return status & SERVER_STATUS_IN_TRANS ? XA_OK : XA_RBROLLBACK;
}

bool last_roll_back(MYSQL *db, const char *name)
{
	(void)db_run_on(db, "XA END", name); /* it may have ended */
	return db_run_on(db, "XA ROLLBACK", name) == XA_OK;
}

static const char *one_phase(const char *name, char to[NAME_SIZE + 32])
{
	snprintf(to, NAME_SIZE + 32, "XA COMMIT %s ONE PHASE", name);
	return to;
}

int last_commit(MYSQL *db, const char *name, const char *row,
		bool *ret_usable)
{
	size_t size = strlen(row) + 2 * NAME_SIZE + sizeof(LIMITED) + 64;
	char *sql = malloc(size), text[NAME_SIZE + 32];
	int xa = XA_RBROLLBACK; /* as if it had never been asked for */

	if (sql != NULL && !db_is_lost(db)) {
		snprintf(sql, size, LIMITED "%s%sXA END %s; %s; END", row,
			 *row != '\0' ? "; " : "", name, one_phase(name, text));
		xa = db_run(db, sql);
	}
	free(sql);
	*ret_usable = xa == XA_OK;
	if (xa == XA_OK)
		return xa;
	if (xa == XA_RDONLY && db_run_on(db, "XA END", name) == XA_OK &&
	    db_run(db, one_phase(name, text)) == XA_OK) {
		*ret_usable = true;
		return XA_RDONLY;
	}
	/* Whatever the error was: if it can be rolled back it was not
	 * committed. */
	*ret_usable = last_roll_back(db, name);
	if (*ret_usable || (xa >= XA_RBBASE && xa <= XA_RBEND))
		return XA_RBROLLBACK;
	return XAER_RMFAIL;
}
