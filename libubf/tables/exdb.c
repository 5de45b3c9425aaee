/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exdb.c - edb_...: transactions and cursors of LMDB under their public names
 *
 * What they are given comes from Bfldddbgetenv(), so LMDB is loaded.
 */
#include <exdb.h>

#include "libubf/tables/lmdb.h"

_Static_assert(EDB_RDONLY == MDB_RDONLY && EDB_NOTFOUND == MDB_NOTFOUND &&
		       EDB_KEYEXIST == MDB_KEYEXIST &&
		       EDB_MAP_FULL == MDB_MAP_FULL,
	       "codes are those of LMDB");
_Static_assert((int)EDB_LAST == MDB_LAST && (int)EDB_NEXT == MDB_NEXT &&
		       (int)EDB_PREV == MDB_PREV && (int)EDB_SET == MDB_SET,
	       "operations are those of LMDB");
_Static_assert(sizeof(EDB_val) == sizeof(MDB_val) &&
		       sizeof(EDB_dbi) == sizeof(MDB_dbi),
	       "types are those of LMDB");

int edb_txn_begin(EDB_env *env, EDB_txn *parent, unsigned int flags,
		  EDB_txn **txn)
{
	return ow_lmdb()->txn_begin((MDB_env *)env, (MDB_txn *)parent, flags,
				    (MDB_txn **)txn);
}

int edb_txn_commit(EDB_txn *txn)
{
	return ow_lmdb()->txn_commit((MDB_txn *)txn);
}

void edb_txn_abort(EDB_txn *txn)
{
	ow_lmdb()->txn_abort((MDB_txn *)txn);
}

int edb_cursor_open(EDB_txn *txn, EDB_dbi dbi, EDB_cursor **cursor)
{
	return ow_lmdb()->cursor_open((MDB_txn *)txn, dbi, (MDB_cursor **)cursor);
}

int edb_cursor_get(EDB_cursor *cursor, EDB_val *key, EDB_val *data,
		   EDB_cursor_op op)
{
	return ow_lmdb()->cursor_get((MDB_cursor *)cursor, (MDB_val *)key,
				     (MDB_val *)data, (MDB_cursor_op)op);
}

void edb_cursor_close(EDB_cursor *cursor)
{
	ow_lmdb()->cursor_close((MDB_cursor *)cursor);
}

char *edb_strerror(int err)
{
	return ow_lmdb() == NULL ? (char *)"liblmdb cannot be loaded"
				 : ow_lmdb()->strerror(err);
}
