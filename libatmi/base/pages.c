/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.c - large objects of which few pages are ever used
 */
#include "libatmi/base/pages.h"

#include <sys/mman.h>

void *ow_pages_take(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p != MAP_FAILED ? p : NULL;
}

void *ow_pages_give(void *p, size_t size)
{
	if (p != NULL)
		munmap(p, size);
	return NULL;
}
