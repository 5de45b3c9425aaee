/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64.c - bytes as text of RFC 4648, with padding
 */
#include "libubf/base/base64.h"

#include <errno.h>
#include <stdint.h>

static const char digits[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "abcdefghijklmnopqrstuvwxyz0123456789+/";

/* The value of a digit, plus 1; 0: not a digit. */
static const uint8_t values[256] = {
	['A'] = 1,  ['B'] = 2,	['C'] = 3,  ['D'] = 4,	['E'] = 5,
	['F'] = 6,  ['G'] = 7,	['H'] = 8,  ['I'] = 9,	['J'] = 10,
	['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15,
	['P'] = 16, ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20,
	['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24, ['Y'] = 25,
	['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30,
	['e'] = 31, ['f'] = 32, ['g'] = 33, ['h'] = 34, ['i'] = 35,
	['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
	['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45,
	['t'] = 46, ['u'] = 47, ['v'] = 48, ['w'] = 49, ['x'] = 50,
	['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55,
	['3'] = 56, ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60,
	['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
};

void ow_base64_encode(char *to, const void *from, size_t n)
{
	const uint8_t *p = from;
	uint32_t w;

	for (; n >= 3; n -= 3, p += 3) {
		w = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
		*to++ = digits[w >> 18];
		*to++ = digits[w >> 12 & 63];
		*to++ = digits[w >> 6 & 63];
		*to++ = digits[w & 63];
	}
	if (n == 0)
		return;
	w = (uint32_t)p[0] << 16 | (n == 2 ? (uint32_t)p[1] << 8 : 0);
	*to++ = digits[w >> 18];
	*to++ = digits[w >> 12 & 63];
	*to++ = n == 2 ? digits[w >> 6 & 63] : '=';
	*to = '=';
}

ssize_t ow_base64_decode(void *to, const char *from, size_t n)
{
	const uint8_t *p = (const uint8_t *)from;
	uint8_t *out = to, v[4];
	size_t pad = 0, i, k;
	uint32_t w;

	if (n % 4 != 0)
		return -EBADMSG;
	if (n > 0 && p[n - 1] == '=')
		pad = p[n - 2] == '=' ? 2 : 1;
	for (i = 0; i < n; i += 4, p += 4) {
		size_t have = i + 4 == n ? 4 - pad : 4;

		for (k = 0, w = 0; k < 4; k++) {
			v[k] = k < have ? values[p[k]] : 1;
			if (v[k] == 0)
				return -EBADMSG;
			w = w << 6 | (uint32_t)(v[k] - 1);
		}
		*out++ = (uint8_t)(w >> 16);
		if (have > 2)
			*out++ = (uint8_t)(w >> 8);
		if (have > 3)
			*out++ = (uint8_t)w;
	}
	return (ssize_t)(out - (uint8_t *)to);
}
