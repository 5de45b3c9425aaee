/* SPDX-License-Identifier: Apache-2.0 */
/*
 * escape.c - undo the escapes of printed values
 */
#include "libubf/base/escape.h"

#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

long ow_ubf_unescape(char *to, const char *from, size_t n)
{
	const char *end = from + n, *begin = to, *escape;
	size_t run, left;
	int hi, lo;

	for (;;) {
		escape = memchr(from, '\\', (size_t)(end - from));
		run = (size_t)((escape != NULL ? escape : end) - from);
		if (to != from)
			memmove(to, from, run);
		to += run;
		if (escape == NULL)
			break;
		left = (size_t)(end - escape);
		if (left > 1 && escape[1] == '\\') {
			*to++ = '\\';
			from = escape + 2;
			continue;
		}
		hi = left > 2 ? hex_digit(escape[1]) : -1;
		lo = hi < 0 ? -1 : hex_digit(escape[2]);
		if (lo < 0)
			return -1;
		*to++ = (char)(hi << 4 | lo);
		from = escape + 3;
	}
	*to = '\0';
	return to - begin;
}
