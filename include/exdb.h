/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exdb.h - transactions and cursors of the field data base (LMDB)
 *
 * For programs that change or list the data base of Bfldddbgetenv(). The
 * functions are those of LMDB with the prefix edb_ instead of mdb_, and return
 * what those return: 0, an EDB_ code, or an errno value. (Enduro/X)
 */
#ifndef EXDB_H
#define EXDB_H

#include <ubf.h>

#define EDB_SUCCESS 0
#define EDB_KEYEXIST (-30799)
#define EDB_NOTFOUND (-30798)
#define EDB_MAP_FULL (-30792)
/* Flag of edb_txn_begin. */
#define EDB_RDONLY 0x20000

typedef enum EDB_cursor_op {
	EDB_FIRST = 0,
	EDB_LAST = 6,
	EDB_NEXT = 8,
	EDB_PREV = 12,
	EDB_SET = 15
} EDB_cursor_op;

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

extern int edb_txn_begin(EDB_env *env, EDB_txn *parent, unsigned int flags,
			 EDB_txn **txn);
extern int edb_txn_commit(EDB_txn *txn);
extern void edb_txn_abort(EDB_txn *txn);
extern int edb_cursor_open(EDB_txn *txn, EDB_dbi dbi, EDB_cursor **cursor);
extern int edb_cursor_get(EDB_cursor *cursor, EDB_val *key, EDB_val *data,
			  EDB_cursor_op op);
extern void edb_cursor_close(EDB_cursor *cursor);
/* The text of a code; constant. */
extern char *edb_strerror(int err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
