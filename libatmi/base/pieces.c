/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pieces.c - a large sparse file, of which each process maps what it uses
 */
#include "libatmi/base/pieces.h"

#include <sys/mman.h>

#include "libatmi/base/pages.h"

static size_t bytes(uint32_t n)
{
	return sizeof(struct ow_pieces) + n * sizeof(_Atomic(char *));
}

struct ow_pieces *ow_pieces_new(int fd, uint64_t off, size_t size, uint32_t n)
{
	struct ow_pieces *p = ow_pages_take(bytes(n));

	if (p == NULL)
		return NULL;
	p->fd = fd;
	p->off = off;
	p->size = size;
	p->n = n;
	return p;
}

struct ow_pieces *ow_pieces_close(struct ow_pieces *p)
{
	uint32_t i;

	for (i = 0; p != NULL && i < p->n; i++)
		if (atomic_load(&p->at[i]) != NULL)
			munmap(atomic_load(&p->at[i]), p->size);
	return ow_pages_give(p, p != NULL ? bytes(p->n) : 0);
}

void ow_pieces_protect(struct ow_pieces *p)
{
	uint32_t i;

	p->readonly = true;
	for (i = 0; i < p->n; i++)
		if (atomic_load(&p->at[i]) != NULL)
			mprotect(atomic_load(&p->at[i]), p->size, PROT_READ);
}

char *ow_pieces_map(struct ow_pieces *p, uint32_t i)
{
	char *at, *first = NULL;

	at = mmap(NULL, p->size, PROT_READ | (p->readonly ? 0 : PROT_WRITE),
		  MAP_SHARED | MAP_NORESERVE, p->fd,
		  (off_t)(p->off + (uint64_t)i * p->size));
	if (at == MAP_FAILED)
		return NULL;
	madvise(at, p->size, MADV_DONTDUMP);
	if (atomic_compare_exchange_strong(&p->at[i], &first, at))
		return at;
	munmap(at, p->size); /* another thread was first */
	return first;
}
