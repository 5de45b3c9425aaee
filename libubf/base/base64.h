/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64.h - bytes as text of RFC 4648, with padding
 *
 * Exported for libatmi; not part of the public interface.
 */
#ifndef OW_BASE64_H
#define OW_BASE64_H

#include <stddef.h>
#include <sys/types.h>

/* Characters of n bytes as base64, without a NUL. */
static inline size_t ow_base64_size(size_t n)
{
	return (n / 3 + (n % 3 != 0)) * 4;
}

/* Write ow_base64_size(n) characters; no NUL. */
void ow_base64_encode(char *to, const void *from, size_t n);
/* Write at most n / 4 * 3 bytes; returns how many. `to` may be `from`.
 * -EBADMSG: not base64, or not padded. */
ssize_t ow_base64_decode(void *to, const char *from, size_t n);

#endif
