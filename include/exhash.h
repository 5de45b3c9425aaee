/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exhash.h - hash tables of structures: uthash, by the names of Enduro/X
 *
 * The structure has a member `EX_hash_handle hh`. Needs the header uthash.h
 * (Debian: uthash-dev) where the program is compiled.
 */
#ifndef EXHASH_H
#define EXHASH_H

#include <uthash.h>

#define EX_hash_handle UT_hash_handle
#define EX_hash_table  UT_hash_table

#define EXHASH_ADD	   HASH_ADD
#define EXHASH_ADD_INT	   HASH_ADD_INT
#define EXHASH_ADD_KEYPTR  HASH_ADD_KEYPTR
#define EXHASH_ADD_PTR	   HASH_ADD_PTR
#define EXHASH_ADD_STR	   HASH_ADD_STR
#define EXHASH_CLEAR	   HASH_CLEAR
#define EXHASH_COUNT	   HASH_COUNT
#define EXHASH_CNT	   HASH_CNT
#define EXHASH_DEL	   HASH_DEL
#define EXHASH_DELETE	   HASH_DELETE
#define EXHASH_FIND	   HASH_FIND
#define EXHASH_FIND_INT	   HASH_FIND_INT
#define EXHASH_FIND_PTR	   HASH_FIND_PTR
#define EXHASH_FIND_STR	   HASH_FIND_STR
#define EXHASH_ITER	   HASH_ITER
#define EXHASH_OVERHEAD	   HASH_OVERHEAD
#define EXHASH_REPLACE	   HASH_REPLACE
#define EXHASH_REPLACE_INT HASH_REPLACE_INT
#define EXHASH_REPLACE_PTR HASH_REPLACE_PTR
#define EXHASH_REPLACE_STR HASH_REPLACE_STR
#define EXHASH_SELECT	   HASH_SELECT
#define EXHASH_SORT	   HASH_SORT
#define EXHASH_SRT	   HASH_SRT

#endif
