/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_strings.h - the fast path of check_heap.h: strings in a row
 *
 * Inline, because most buffers have no other values in their heap: then their
 * check makes no call.
 */
#ifndef OW_UBF_CHECK_STRINGS_H
#define OW_UBF_CHECK_STRINGS_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "libubf/store/layout.h"

#define OW_UBF_STRING_LONG 128	/* bytes; memchr() is faster from here on */

/* One bit per zero byte of 16; the lowest bit is the first byte. */
static inline uint32_t ow_ubf_zeros(const char *p)
{
#ifdef __SSE2__
	__m128i v = _mm_loadu_si128((const __m128i *)p);

	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v,
							  _mm_setzero_si128()));
#else
	uint32_t bits = 0, i;

	for (i = 0; i < 16; i++)
		bits |= (uint32_t)(p[i] == 0) << i;
	return bits;
#endif
}

/* Whether of 1 to 16 bytes only the last one is NUL. Reads the 16 bytes that
 * end there; they may begin before the string, but not before the buffer. */
static inline int ow_ubf_is_short_string(const char *p, uint32_t len)
{
	return (ow_ubf_zeros(p + len - 16) & 0xffffu << (16 - len)) == 0x8000;
}

static inline int ow_ubf_is_string(const char *p, uint32_t len)
{
	uint32_t i;

	if (len - 1 < 16)
		return ow_ubf_is_short_string(p, len);
	if (len - 1 >= OW_UBF_STRING_LONG)
		return len > 0 && memchr(p, 0, len) == p + len - 1;
	for (i = 0; i + 16 < len; i += 16) {
		if (ow_ubf_zeros(p + i) != 0)
			return 0;
	}
	return ow_ubf_is_short_string(p + len - 16, 16);
}

/* How many strings lie one behind the other, the first at *next in the heap
 * `at` of `size` bytes; *next becomes their end. */
static inline __attribute__((always_inline)) uint32_t
ow_ubf_strings_in_a_row(const char *at, uint32_t size,
			const struct ow_ubf_ent *e, uint32_t n, int plain,
			uint32_t *next)
{
	uint32_t to = *next, i, room;
	struct ow_ubf_chunk c;

	for (i = 0; i < n; i++) {
		c = ow_ubf_chunk_read(ow_ubf_ent_step(e, plain ? 8 : 4, i),
				      plain);
		room = (uint32_t)ow_ubf_taken(BFLD_STRING, c.len);
		if (c.off != to || room > size - to)
			break;
		if (c.len - 1 < 16 ? !ow_ubf_is_short_string(at + to, c.len)
				   : c.len > INT32_MAX ||
					     !ow_ubf_is_string(at + to, c.len))
			break;
		to += room;
	}
	*next = to;
	return i;
}

#endif
