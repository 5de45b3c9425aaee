/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffer.c - allocate, initialise, size and copy whole buffers
 */
#include "libubf/store/buffer.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/store/bulk.h"
#include "libubf/store/store.h"

/* Per field an entry and what its value is rounded up by, and as much again
 * as a directory wants to grow without a copy each time. */
#define FIELD_COST 24

int ow_ubf_refuse(const struct Ubfh *h)
{
	if (h != NULL && (uintptr_t)h % OW_UBF_ALIGN != 0)
		return ow_ubf_fail(BALIGNERR, "buffer %p is not at a multiple "
				   "of %u", (const void *)h, OW_UBF_ALIGN);
	return ow_ubf_fail(BNOTFLD, h == NULL ? "the buffer is NULL"
				    : h->magic == 0 ? "not a UBF buffer, or "
						      "one that was freed"
						    : "not a UBF buffer");
}

int ow_ubf_bad_id(BFLDID id)
{
	return ow_ubf_fail(BBADFLD, "%d is not a field id (type %u, number %d)",
			   id, ow_ubf_id_type(id), id & OW_UBF_NUMBER_MAX);
}

int ow_ubf_init(void *mem, size_t size)
{
	struct Ubfh *h = mem;

	if (mem == NULL || size < sizeof(*h) ||
	    (uintptr_t)mem % OW_UBF_ALIGN != 0)
		return -EINVAL;
	if (size > OW_UBF_SIZE_MAX)
		size = OW_UBF_SIZE_MAX;
	*h = (struct Ubfh){ .magic = OW_UBF_MAGIC,
			    .size = (uint32_t)size,
			    .used = sizeof(*h),
			    .heap = sizeof(*h) };
	return 0;
}

int ow_ubf_resize(void *mem, size_t newsize)
{
	struct Ubfh *h = mem;

	if (!ow_ubf_is(h) || newsize < h->used)
		return -EINVAL;
	h->size = newsize > OW_UBF_SIZE_MAX ? OW_UBF_SIZE_MAX
					    : (uint32_t)newsize;
	return 0;
}

int ow_ubf_adopt(void *buf, size_t used, size_t size)
{
	if (!ow_ubf_is(buf) || ((struct Ubfh *)buf)->used > used)
		return -EINVAL;
	return ow_ubf_resize(buf, size);
}

size_t ow_ubf_used(const void *mem)
{
	const struct Ubfh *h = mem;

	return ow_ubf_is(h) ? h->used : 0;
}

/* Bytes that suffice for these fields, or 0 if it cannot be. */
static uint64_t needed(BFLDOCC f, BFLDLEN v)
{
	uint64_t n;

	if (f < 0 || v < 0)
		return 0;
	n = sizeof(struct Ubfh) + (uint64_t)f * FIELD_COST + (uint64_t)v;
	n = ow_ubf_round(n);
	return n > OW_UBF_SIZE_MAX ? 0 : n;
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

/* Holes and free slots of src may be all that does not fit. */
static int copy_tight(struct Ubfh *dst, uint32_t size, const struct Ubfh *src)
{
	if (ow_ubf_live(src) > size || ow_ubf_init(dst, size) < 0)
		return -ENOSPC;
	return ow_ubf_append(dst, src, 0, ow_ubf_count(src));
}

/* Where libc has a memcpy() for large sizes that takes long to start, as with
 * `rep movsb`, pieces of this size are a third faster, as long as all of it is
 * in the first level cache. From the last to the first: then no load follows a
 * store with like low bits of the address. */
#define PIECE 1536
#define PIECES_MAX 16384

static void copy(char *to, const char *from, size_t n)
{
	size_t each = n > PIECES_MAX ? n : (n / (n / PIECE + 1) | 63) + 1;

	for (; n > each; n -= each)
		memcpy(to + n - each, from + n - each, each);
	memcpy(to, from, n);
}

int ow_ubf_copy(struct Ubfh *dst, uint32_t size, const struct Ubfh *src)
{
	int aligned = (uintptr_t)dst % OW_UBF_ALIGN == 0;

	if (size < src->used)
		return aligned ? copy_tight(dst, size, src) : -ENOSPC;
	memcpy(dst, src, src->used);
	if (aligned)
		dst->size = size;
	return 0;
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
		r = copy_tight(p_ub_dst, size, p_ub_src);
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
	if (size == 0)
		return ow_ubf_fail(BEINVAL, "Bneeded: %d fields, %d bytes",
				   nrfields, totsize);
	return (long)size;
}

int Bisubf(UBFH *p_ub)
{
	ow_ubf_clear();
	return ow_ubf_is(p_ub);
}
