/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.c - load a shared library and find its functions
 */
#include "libubf/base/library.h"

#include <dlfcn.h>
#include <string.h>

bool ow_library_load(const char *file, const char *const *names, size_t n,
		     void *ret_functions)
{
	void *symbol, *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	char *to = ret_functions;
	size_t i;

	for (i = 0; lib != NULL && i < n; i++) {
		symbol = dlsym(lib, names[i]);
		if (symbol == NULL)
			return false;
		/* A pointer to a function: C does not convert it. */
		memcpy(to + i * sizeof(symbol), &symbol, sizeof(symbol));
	}
	return lib != NULL;
}
