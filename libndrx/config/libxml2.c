/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libxml2.c - the functions of libxml2, loaded when a configuration is read
 *
 * OW_LIBXML2 is the name of the library that the headers belong to; the build
 * finds it.
 */
#include "libndrx/config/libxml2.h"

#include <pthread.h>
#include <stdbool.h>

#include "libubf/base/library.h"

static struct ow_libxml2 functions;
static bool is_loaded;

static void load(void)
{
#define X(name) #name,
	static const char *const names[] = { OW_LIBXML2_FUNCTIONS(X) };
#undef X

	is_loaded = ow_library_load(OW_LIBXML2, names,
				    sizeof(names) / sizeof(names[0]),
				    &functions);
}

const struct ow_libxml2 *ow_libxml2(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return is_loaded ? &functions : NULL;
}
