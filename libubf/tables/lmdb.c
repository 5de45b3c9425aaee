/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lmdb.c - the functions of LMDB, which is loaded when one is first needed
 */
#include "libubf/tables/lmdb.h"

#include <pthread.h>
#include <stdbool.h>

#include "libubf/base/library.h"

static struct ow_lmdb functions;
static bool is_loaded;

static void load(void)
{
#define X(name) "mdb_" #name,
	static const char *const names[] = { OW_LMDB_FUNCTIONS(X) };
#undef X

	is_loaded = ow_library_load("liblmdb.so.0", names,
				    sizeof(names) / sizeof(names[0]),
				    &functions);
}

const struct ow_lmdb *ow_lmdb(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return is_loaded ? &functions : NULL;
}
