/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - what the message layer needs of a buffer: make, resize, check
 *
 * A UBF buffer is sent as its first Bused() bytes. The receiver checks them
 * with ow_ubf_check(), copies them into memory of its own and calls
 * ow_ubf_adopt() to say how large that memory is. Exported for libatmi; not
 * part of the public interface. Berror is left alone.
 */
#ifndef OW_UBF_CHECK_H
#define OW_UBF_CHECK_H

#include <stddef.h>

#pragma GCC visibility push(default)

/* Whether `len` bytes, as an enemy may have written them, are a UBF buffer:
 * after 0 every function is safe on an adopted copy. One pass. `buf` must be
 * at a multiple of 8; `len` may be more than the buffer uses. Returns 0,
 * -EBADMSG or -ENOMEM. */
int ow_ubf_check(const void *buf, size_t len);
/* Take over a checked copy: `used` bytes (as sent) in `size` bytes of memory.
 * Returns 0 or -EINVAL. */
int ow_ubf_adopt(void *buf, size_t used, size_t size);
/* Make an empty buffer of `size` bytes. Returns 0 or -EINVAL (too small). */
int ow_ubf_init(void *mem, size_t size);
/* Tell a buffer the new size of its memory, after a realloc. Returns 0,
 * -EINVAL (not a buffer, or less than it uses; it is unchanged). */
int ow_ubf_resize(void *mem, size_t newsize);
/* Bytes to send, without touching Berror; 0 if it is not a buffer. */
size_t ow_ubf_used(const void *mem);

#pragma GCC visibility pop

#endif
