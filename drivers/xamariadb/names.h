/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - the names of a branch in SQL
 *
 * MariaDB's bqual is that of XA with the number of the connection (8 bytes)
 * behind it: whoever finds the branch later sees which connection did its work.
 */
#ifndef OW_MARIADB_NAMES_H
#define OW_MARIADB_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xa.h>

#define NAME_SIZE    320 /* of a branch in SQL, with NUL */
#define NAME_CONN_ID 8	 /* bytes */

/* "X'...',X'...',N": false, the XID has no room for the connection. */
bool name_of(const XID *x, uint64_t connection, char to[NAME_SIZE]);
/* Read a row of XA RECOVER: false, the branch is none of this driver. */
bool name_read(char **row, const unsigned long *lengths, XID *ret,
	       uint64_t *ret_connection);
bool name_same(const XID *a, const XID *b);

#endif
