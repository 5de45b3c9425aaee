/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsonchar.c - one character of a JSON string
 */
#include "libubf/base/jsonchar.h"

#include <string.h>

size_t ow_utf8_length(const unsigned char *s, size_t n)
{
	size_t k, len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	unsigned char lo = 0x80, hi = 0xbf;

	if (s[0] < 0xc2 || s[0] > 0xf4 || n < len)
		return 0;
	if (s[0] == 0xe0)
		lo = 0xa0;
	else if (s[0] == 0xed)
		hi = 0x9f;
	else if (s[0] == 0xf0)
		lo = 0x90;
	else if (s[0] == 0xf4)
		hi = 0x8f;
	if (s[1] < lo || s[1] > hi)
		return 0;
	for (k = 2; k < len; k++)
		if ((s[k] & 0xc0) != 0x80)
			return 0;
	return len;
}

/* The letter behind the backslash of a short escape; 0: there is none. */
static char short_escape(unsigned char c, unsigned int flags)
{
	switch (c) {
	case '"':
	case '\\':
		return (char)c;
	case '\n':
		return 'n';
	case '\t':
		return 't';
	case '/':
		return flags & OW_JSONCHAR_SLASH ? '/' : '\0';
	case '\b':
		return flags & OW_JSONCHAR_LONG ? '\0' : 'b';
	case '\f':
		return flags & OW_JSONCHAR_LONG ? '\0' : 'f';
	case '\r':
		return flags & OW_JSONCHAR_LONG ? '\0' : 'r';
	default:
		return '\0';
	}
}

static size_t escape_control(unsigned char c, char *to)
{
	static const char hex[] = "0123456789abcdef";

	memcpy(to, "\\u00", 4);
	to[4] = hex[c >> 4];
	to[5] = hex[c & 15];
	return 6;
}

size_t ow_jsonchar(const char *s, size_t n, unsigned int flags, char *to,
		   size_t *ret_used)
{
	unsigned char c = (unsigned char)*s;
	size_t len;

	*ret_used = 1;
	if (c >= 0x80) {
		len = ow_utf8_length((const unsigned char *)s, n);
		if (len == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0 &&
		    (flags & OW_JSONCHAR_DEL)) {
			*ret_used = len;
			return escape_control((unsigned char)s[1], to);
		}
		if (len > 0) {
			memcpy(to, s, len);
			*ret_used = len;
			return len;
		}
		if (!(flags & OW_JSONCHAR_REPLACE))
			return 0;
		memcpy(to, "\\ufffd", 6);
		return 6;
	}
	to[0] = '\\';
	to[1] = short_escape(c, flags);
	if (to[1] != '\0')
		return 2;
	if (c >= 0x20 && (c != 0x7f || !(flags & OW_JSONCHAR_DEL))) {
		to[0] = (char)c;
		return 1;
	}
	return escape_control(c, to);
}
