/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.c - the hash of a key, or of the name of a row
 */
#include <string.h>

#include "libatmi/cache/cache.h"

static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

uint64_t ow_cache_hash(uint32_t row, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = mix(len, row), word;

	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = mix(h, word);
	}
	word = 0;
	if (len > 0)
		memcpy(&word, p, len);
	h = mix(h, word);
	return mix(h, h >> 32);
}
