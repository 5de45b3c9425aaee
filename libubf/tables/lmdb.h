/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lmdb.h - the functions of LMDB, which is loaded when one is first needed
 */
#ifndef OW_UBF_LMDB_H
#define OW_UBF_LMDB_H

#include <lmdb.h>

/* What libubf calls, without mdb_. */
#define OW_LMDB_FUNCTIONS(X) \
	X(cursor_close) \
	X(cursor_get) \
	X(cursor_open) \
	X(dbi_open) \
	X(del) \
	X(drop) \
	X(env_close) \
	X(env_create) \
	X(env_open) \
	X(env_set_mapsize) \
	X(env_set_maxdbs) \
	X(get) \
	X(put) \
	X(reader_check) \
	X(strerror) \
	X(txn_abort) \
	X(txn_begin) \
	X(txn_commit)

struct ow_lmdb {
#define X(name) __typeof__(mdb_##name) *name;
	OW_LMDB_FUNCTIONS(X)
#undef X
};

/* NULL: it cannot be loaded. */
const struct ow_lmdb *ow_lmdb(void);

#endif
