/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crc32.c - ow_crc32() without zlib, which the cross compiler does not have
 */
#include "libubf/base/crc32.h"

uint32_t ow_crc32(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint32_t c = UINT32_MAX;
	int bit;

	while (n-- > 0) {
		c ^= *p++;
		for (bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return ~c;
}
