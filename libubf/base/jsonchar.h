/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsonchar.h - one character of a JSON string
 *
 * Shared by all that write JSON: buffers, log lines, listings. They differ in
 * what they escape beyond what JSON demands; flags say so. Exported for
 * libatmi and the tools; not part of the public interface.
 */
#ifndef OW_JSONCHAR_H
#define OW_JSONCHAR_H

#include <stdbool.h>
#include <stddef.h>

#define OW_JSONCHAR_MAX 6 /* bytes that a character takes at most: \u001f */

enum ow_jsonchar_flags {
	OW_JSONCHAR_SLASH = 1,	 /* / becomes \/ */
	OW_JSONCHAR_DEL = 2,	 /* 0x7f becomes \u007f, so do C1 controls */
	OW_JSONCHAR_LONG = 4,	 /* \b, \f and \r are written as \u00xx */
	OW_JSONCHAR_REPLACE = 8, /* a byte that is not UTF-8 becomes \ufffd */
};

/* Whether a byte stands for itself, whatever the flags. */
static inline bool ow_jsonchar_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '/' && c != '\\';
}

/* Bytes of the UTF-8 sequence at s, whose first byte is not ASCII and which has
 * `n` bytes at most; 0: it is none. */
size_t ow_utf8_length(const unsigned char *s, size_t n);

/* Write the first character of the n > 0 bytes at s to `to`, which has room
 * for OW_JSONCHAR_MAX bytes. Returns how many it wrote; *ret_used is how many
 * bytes of s they stand for. 0: not UTF-8 (surrogates and overlong forms are
 * not), without OW_JSONCHAR_REPLACE. */
size_t ow_jsonchar(const char *s, size_t n, unsigned int flags, char *to,
		   size_t *ret_used);

#endif
