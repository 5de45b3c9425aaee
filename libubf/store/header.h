/* SPDX-License-Identifier: Apache-2.0 */
/*
 * header.h - the header of a buffer: make, recognize, resize
 *
 * Partly exported for libatmi; not part of the public interface. Berror is
 * left alone.
 */
#ifndef OW_UBF_HEADER_H
#define OW_UBF_HEADER_H

#include "libubf/store/layout.h"

#pragma GCC visibility push(default)

/* Make an empty buffer of `size` bytes. Returns 0 or -EINVAL (too small). */
int ow_ubf_init(void *mem, size_t size);
/* Tell a buffer the new size of its memory, after a realloc. Returns 0,
 * -EINVAL (not a buffer, or less than it uses; it is unchanged). */
int ow_ubf_resize(void *mem, size_t newsize);
/* Take over a checked copy: `used` bytes (as sent) in `size` bytes of memory.
 * Returns 0 or -EINVAL. */
int ow_ubf_adopt(void *buf, size_t used, size_t size);
/* Bytes to send; 0 if it is not a buffer. */
size_t ow_ubf_used(const void *mem);

#pragma GCC visibility pop

/* Make an empty buffer in a form; `size` suffices for its header. */
void ow_ubf_init_form(struct Ubfh *h, uint32_t size, int plain);

/* Bytes of a buffer that is large enough for so many fields with values of
 * `bytes` in all; 0: no buffer can be so large. */
uint64_t ow_ubf_needed(uint32_t fields, uint32_t bytes);

/* The same as ow_ubf_is(), for what is no usual buffer. */
int ow_ubf_is_other(const struct Ubfh *h) __attribute__((pure));

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

#endif
