/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcrypto.c - the functions of OpenSSL, loaded when one is first needed
 */
#include "libatmi/base/libcrypto.h"

#include <pthread.h>
#include <stdbool.h>

#include "libubf/base/library.h"

static struct ow_libcrypto functions;
static bool is_loaded;

static void load(void)
{
#define X(name) #name,
	static const char *const names[] = { OW_LIBCRYPTO_FUNCTIONS(X) };
#undef X

	is_loaded = ow_library_load("libcrypto.so.3", names,
				    sizeof(names) / sizeof(names[0]),
				    &functions);
}

const struct ow_libcrypto *ow_libcrypto(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return is_loaded ? &functions : NULL;
}
