/* SPDX-License-Identifier: Apache-2.0 */
/*
 * header.h - the header of a buffer: make, recognize, resize
 *
 * Partly exported for libatmi; not part of the public interface. Berror is
 * left alone.
 */
#ifndef OW_UBF_HEADER_H
#define OW_UBF_HEADER_H

#include <errno.h>

#include "libubf/store/layout.h"

/* Make an empty buffer of `size` bytes. Returns 0 or -EINVAL (too small). */
int ow_ubf_init(void *mem, size_t size);
/* The same as ow_ubf_is(), for what is no usual buffer. */
int ow_ubf_is_other(const struct Ubfh *h) __attribute__((pure));

/* Make an empty buffer in a form; `size` suffices for its header. */
void ow_ubf_init_form(struct Ubfh *h, uint32_t size, int plain);

/* Bytes of a buffer that is large enough for so many fields with values of
 * `bytes` in all; 0: no buffer can be so large. */
uint64_t ow_ubf_needed(uint32_t fields, uint32_t bytes);

/* Whether the header is that of a buffer which is plain and flat. */
static inline int ow_ubf_is_usual(const struct Ubfh *h)
{
	return __builtin_expect(h != NULL && (uintptr_t)h % OW_UBF_ALIGN == 0 &&
				ow_ubf_usual(h) && h->used <= h->size, 1);
}

/* Whether the header is that of a buffer: cheap enough for every call.
 * ow_ubf_check() tests everything. */
static inline int ow_ubf_is(const struct Ubfh *h)
{
	return ow_ubf_is_usual(h) || ow_ubf_is_other(h);
}

/* What follows is inline, because each call of a service comes here several
 * times from another library. */

/* Tell a buffer the new size of its memory, after a realloc. Returns 0,
 * -EINVAL (not a buffer, or less than it uses; it is unchanged). */
static inline int ow_ubf_resize(void *mem, size_t newsize)
{
	struct Ubfh *h = mem;

	if (!ow_ubf_is(h) || newsize < h->used)
		return -EINVAL;
	h->size = newsize > OW_UBF_SIZE_MAX ? OW_UBF_SIZE_MAX
					    : (uint32_t)newsize;
	return 0;
}

/* Take over a checked copy: `used` bytes (as sent) in `size` bytes of memory.
 * Returns 0 or -EINVAL. */
static inline int ow_ubf_adopt(void *buf, size_t used, size_t size)
{
	const struct Ubfh *h = buf;

	return h->used > used ? -EINVAL : ow_ubf_resize(buf, size);
}

/* Bytes of its memory; 0 if it is not a buffer. */
static inline size_t ow_ubf_size(const void *mem)
{
	const struct Ubfh *h = mem;

	return ow_ubf_is(h) ? h->size : 0;
}

/* Bytes to send; 0 if it is not a buffer. */
static inline size_t ow_ubf_used(const void *mem)
{
	const struct Ubfh *h = mem;

	return ow_ubf_is(h) ? h->used : 0;
}

/* The same of `len` bytes that ow_ubf_check() has just accepted. 0: they have
 * been changed since, by a process that maps them, too. */
static inline size_t ow_ubf_used_checked(const void *mem, size_t len)
{
	const struct Ubfh *h = mem;
	size_t used = h->used;

	return used <= len ? used : 0;
}

#endif
