/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes8.h - test eight bytes of text at once
 *
 * Printing copies runs of bytes that stand for themselves; these tests tell
 * whether a word of eight bytes is such a run. Results are 0 or not 0.
 */
#ifndef OW_BYTES8_H
#define OW_BYTES8_H

#include <stdint.h>

/* A word of eight equal bytes. */
#define OW_BYTES8(b) (0x0101010101010101u * (uint64_t)(b))

/* Is a byte of w zero? */
static inline uint64_t ow_bytes8_zero(uint64_t w)
{
	return (w - OW_BYTES8(1)) & ~w & OW_BYTES8(0x80);
}

/* Is a byte of w equal to b? */
static inline uint64_t ow_bytes8_has(uint64_t w, unsigned char b)
{
	return ow_bytes8_zero(w ^ OW_BYTES8(b));
}

/* Is a byte of w not printable ASCII? */
static inline uint64_t ow_bytes8_unprintable(uint64_t w)
{
	return (w & OW_BYTES8(0x80)) |
	       ((w - OW_BYTES8(0x20)) & ~w & OW_BYTES8(0x80)) |
	       ow_bytes8_has(w, 0x7f);
}

#endif
