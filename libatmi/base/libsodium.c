/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsodium.c - the functions of libsodium, loaded when one is first needed
 */
#include "libatmi/base/libsodium.h"

#include <pthread.h>
#include <stdbool.h>

#include "libubf/base/library.h"

static struct ow_libsodium functions;
static bool is_loaded;

static void load(void)
{
#define X(name) #name,
	static const char *const names[] = { OW_LIBSODIUM_FUNCTIONS(X) };
#undef X

	is_loaded = ow_library_load("libsodium.so.23", names,
				    sizeof(names) / sizeof(names[0]),
				    &functions) &&
		    functions.sodium_init() >= 0;
}

const struct ow_libsodium *ow_libsodium(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return is_loaded ? &functions : NULL;
}
