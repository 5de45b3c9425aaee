/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape.c - undo the escapes of printed values
 */
#include "libubf/base/escape.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

long ow_ubf_unescape(char *s)
{
	const char *from = s;
	char *to = s;
	int hi, lo;

	while (*from != '\0') {
		if (*from != '\\') {
			*to++ = *from++;
			continue;
		}
		if (from[1] == '\\') {
			*to++ = '\\';
			from += 2;
			continue;
		}
		hi = hex_digit(from[1]);
		lo = hi < 0 ? -1 : hex_digit(from[2]);
		if (lo < 0)
			return -1;
		*to++ = (char)(hi << 4 | lo);
		from += 3;
	}
	return to - s;
}
