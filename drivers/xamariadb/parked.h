/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parked.h - prepared branches of this process, and the thread that ends them
 *
 * MariaDB lets nobody but the connection that has prepared a branch end it, until
 * that connection has ended. So the connection is parked with its branch, and a
 * thread of this process ends the branch when a tmsrv orders it, by a socket whose
 * address is that of the branch. The service's thread goes on with another
 * connection; those whose branch has ended are used again.
 *
 * An order is one byte, its answer the result of XA (int32_t). Only processes of
 * the same user are heard.
 */
#ifndef OW_MARIADB_PARKED_H
#define OW_MARIADB_PARKED_H

#include "drivers/xamariadb/database.h"

enum park_order {
	PARK_PREPARE = 'p', /* is it there? */
	PARK_COMMIT = 'c',
	PARK_ROLLBACK = 'r',
};

struct parked;

/* Before it is prepared: listen at the address of `x`. 0 or -errno. */
int park_listen(const XID *x, struct parked **ret);
/* It is prepared: take the connection, and orders. */
void park(struct parked *p, MYSQL *db, const char *name);
/* It is not: the address is given back. */
void park_not(struct parked *p);

/* A connection whose branch has ended; NULL: there is none. */
MYSQL *park_take_spare(void);
/* Close those: the database was lost. */
void park_drop_spares(void);

/* The process at the other end of `fd` is of this user. */
bool park_is_own(int fd);

#endif
