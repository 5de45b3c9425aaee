/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left.h - branches that no process has any more
 *
 * Their process has died, or the database was restarted: any connection may end
 * them. With one caution: MariaDB (10.11) forgets a branch, until it is
 * restarted, if the branch is ended in the moment in which its connection ends.
 * The branch is known already then, but InnoDB still has it with the connection.
 * So InnoDB is asked first, which has no doubt.
 */
#ifndef OW_MARIADB_LEFT_H
#define OW_MARIADB_LEFT_H

#include <stdbool.h>

#include "drivers/xamariadb/database.h"

/* Is it prepared? XA_OK: `ret_name` is its name in SQL; XAER_NOTA; XAER_RMFAIL
 * also if its connection has not ended. */
int left_find(MYSQL *db, const XID *x, char ret_name[NAME_SIZE]);
/* End it: "XA COMMIT", "XA ROLLBACK". *ret_sent: becomes true when that may have
 * reached the database. */
int left_end(MYSQL *db, const XID *x, const char *verb, bool *ret_sent);
/* As xa_recover(). */
int left_list(MYSQL *db, XID *xids, long max);

#endif
