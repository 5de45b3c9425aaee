/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lmdb.c - the functions of LMDB, which is loaded when one is first needed
 */
#include "libubf/tables/lmdb.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

#define LIBRARY "liblmdb.so.0"

static struct ow_lmdb functions;
static bool is_loaded;

static void load(void)
{
	void *lib = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (lib == NULL)
		return;
	is_loaded = true;
#define X(name)                                                          \
	functions.name = (__typeof__(mdb_##name) *)dlsym(lib,            \
							 "mdb_" #name); \
	is_loaded = is_loaded && functions.name != NULL;
	OW_LMDB_FUNCTIONS(X)
#undef X
}

const struct ow_lmdb *ow_lmdb(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return is_loaded ? &functions : NULL;
}
