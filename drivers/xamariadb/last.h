/* SPDX-License-Identifier: Apache-2.0 */
/*
 * last.h - the end of a branch that is not prepared: the last resource
 *
 * It is a branch of XA in state ACTIVE, so no statement of the program can end it
 * (DDL would commit a plain transaction). Row, XA END and XA COMMIT ... ONE PHASE
 * go out as one compound statement: a process that is stopped between two of them
 * would hold the row's key, and nobody could ask for the outcome.
 *
 * Not with the binary log: there MariaDB 10.11 syncs a one-phase commit as
 * prepared, and after a crash the branch is in doubt again, its row with it.
 */
#ifndef OW_MARIADB_LAST_H
#define OW_MARIADB_LAST_H

#include <stdbool.h>

#include "drivers/xamariadb/database.h"

/* Can a branch of this connection be left open for an order? XA_OK; XA_RB*: its
 * work is lost, or it cannot; XAER_RMFAIL. */
int last_look(MYSQL *db);
/* Commit, with the statement `row` before it ("": none): XA_OK; XA_RBROLLBACK, it
 * is rolled back; XA_RDONLY, it has only read, in a transaction that takes no
 * row, and has ended; XAER_RMFAIL, not known. *ret_usable: the connection has no
 * branch any more. */
int last_commit(MYSQL *db, const char *name, const char *row,
		bool *ret_usable);
/* True: rolled back, and the connection is usable. Else it is to be closed, and
 * the branch ends with it. */
bool last_roll_back(MYSQL *db, const char *name);

#endif
