/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffer.c - Balloc, Binit, Bcpy, Bsizeof...: whole buffers
 */
#include "libubf/access/enter.h"

#include <stdlib.h>

#include "libubf/store/bulk.h"

/* Bytes that suffice for these fields, or 0 if no buffer can hold them. */
static uint64_t needed(BFLDOCC f, BFLDLEN v)
{
	return f < 0 || v < 0 ? 0 : ow_ubf_needed((uint32_t)f, (uint32_t)v);
}

UBFH *Balloc(BFLDOCC f, BFLDLEN v)
{
	uint64_t size = needed(f, v);
	UBFH *p;

	ow_ubf_clear();
	if (size == 0)
		return ow_ubf_fail_null(BEINVAL, "Balloc: %d fields, %d bytes",
					f, v);
	p = malloc(size);
	if (p == NULL)
		return ow_ubf_fail_null(BMALLOC, "Balloc: out of memory");
	(void)ow_ubf_init(p, size);
	return p;
}

UBFH *Brealloc(UBFH *p_ub, BFLDOCC f, BFLDLEN v)
{
	uint64_t size = needed(f, v);
	UBFH *p;

	if (ow_ubf_enter(p_ub) < 0)
		return NULL;
	if (size == 0 || size < p_ub->used)
		return ow_ubf_fail_null(BEINVAL, "Brealloc: %d fields, %d "
					"bytes; %u bytes are used", f, v,
					p_ub->used);
	p = realloc(p_ub, size);
	if (p == NULL)
		return ow_ubf_fail_null(BMALLOC, "Brealloc: out of memory");
	(void)ow_ubf_resize(p, size);
	return p;
}

int Bfree(UBFH *p_ub)
{
	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	p_ub->magic = 0;
	free(p_ub);
	return 0;
}

int Binit(UBFH *p_ub, BFLDLEN len)
{
	ow_ubf_clear();
	if (p_ub == NULL || (uintptr_t)p_ub % OW_UBF_ALIGN != 0)
		return ow_ubf_refuse(p_ub);
	if (len < 0 || ow_ubf_init(p_ub, (size_t)len) < 0)
		return ow_ubf_fail(BNOSPACE, "Binit: %d bytes, at least %zu "
				   "are needed", len, sizeof(struct Ubfh));
	return 0;
}

/* For large sizes libc may use `rep movsb`, which is slow to start. Copying in
 * pieces of this size is a third faster while everything fits the first-level
 * cache. The pieces are copied from the last to the first, so that no load
 * follows a store to an address with the same low bits. */
#define PIECE 1536
#define PIECES_MAX 16384

static void copy(char *to, const char *from, size_t n)
{
	size_t each = n > PIECES_MAX ? n : (n / (n / PIECE + 1) | 63) + 1;

	for (; n > each; n -= each)
		memcpy(to + n - each, from + n - each, each);
	memcpy(to, from, n);
}

int Bcpy(UBFH *p_ub_dst, UBFH *p_ub_src)
{
	uint32_t size;
	int r;

	if (ow_ubf_enter(p_ub_src) < 0 || ow_ubf_enter(p_ub_dst) < 0)
		return -1;
	if (p_ub_dst == p_ub_src)
		return 0;
	size = p_ub_dst->size;
	if (__builtin_expect(size < p_ub_src->used, 0)) {
		r = ow_ubf_copy_tight(p_ub_dst, size, p_ub_src);
		return r < 0 ? ow_ubf_fail_errno(r, "Bcpy") : 0;
	}
	copy((char *)p_ub_dst, (const char *)p_ub_src, p_ub_src->used);
	p_ub_dst->size = size;
	return 0;
}

long Bsizeof(UBFH *p_ub)
{
	return ow_ubf_enter(p_ub) < 0 ? -1 : (long)p_ub->size;
}

long Bused(UBFH *p_ub)
{
	return ow_ubf_enter(p_ub) < 0 ? -1 : (long)p_ub->used;
}

long Bunused(UBFH *p_ub)
{
	return ow_ubf_enter(p_ub) < 0 ? -1 : (long)p_ub->size - p_ub->used;
}

long Bneeded(BFLDOCC nrfields, BFLDLEN totsize)
{
	uint64_t size = needed(nrfields, totsize);

	ow_ubf_clear();
	if (size == 0 || nrfields == 0 || totsize == 0)
		return ow_ubf_fail(BEINVAL, "Bneeded: %d fields, %d bytes",
				   nrfields, totsize);
	return (long)size;
}

int Bisubf(UBFH *p_ub)
{
	ow_ubf_clear();
	return ow_ubf_is(p_ub);
}
