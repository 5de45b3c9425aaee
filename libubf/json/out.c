/* SPDX-License-Identifier: Apache-2.0 */
/*
 * out.c - append JSON text to memory
 *
 * Most bytes of most strings stand for themselves; they are copied eight at a
 * time. A string may become six times as long. If there is not that much room,
 * the string is measured first.
 */
#include "libubf/json/out.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "libubf/base/base64.h"
#include "libubf/base/bytes8.h"
#include "libubf/base/jsonchar.h"
#include "libubf/base/numtext.h"

int ow_json_reserve(struct ow_json_out *o, size_t n)
{
	size_t cap = o->cap;
	char *t;

	if (o->cap - o->len >= n)
		return 0;
	if (!o->grows)
		return -ENOSPC;
	if (n > SIZE_MAX / 4 - o->len)
		return -ENOMEM;
	if (cap < 256)
		cap = 256;
	while (cap - o->len < n)
		cap *= 2;
	t = realloc(o->text, cap);
	if (t == NULL)
		return -ENOMEM;
	o->text = t;
	o->cap = cap;
	return 0;
}

/* All eight bytes stand for themselves. */
static inline bool plain8(uint64_t w)
{
	return (ow_bytes8_unprintable(w) | ow_bytes8_has(w, '"') |
		ow_bytes8_has(w, '/') | ow_bytes8_has(w, '\\')) == 0;
}

/* json_escape: bytes that are not printable ASCII as \xx, a backslash as two;
 * JSON doubles each backslash of these once more. */
static size_t escape_byte(unsigned char c, char *to)
{
	static const char hex[] = "0123456789abcdef";

	if (c == '\\') {
		memcpy(to, "\\\\\\\\", 4);
		return 4;
	}
	memcpy(to, "\\\\", 2);
	to[2] = hex[c >> 4];
	to[3] = hex[c & 15];
	return 4;
}

/* Write the first character of s to `to`; returns the bytes written, 0 if it is
 * not UTF-8. *ret_used is how many bytes of s they stand for. */
static size_t put_character(const struct ow_json_out *o, const char *s,
			    size_t n, char *to, size_t *ret_used)
{
	unsigned char c = (unsigned char)*s;

	*ret_used = 1;
	if (ow_jsonchar_plain(c)) {
		*to = *s;
		return 1;
	}
	if (o->escape && (c < 0x20 || c >= 0x7f || c == '\\'))
		return escape_byte(c, to);
	return ow_jsonchar(s, n, OW_JSONCHAR_SLASH, to, ret_used);
}

/* The exact length of a string, with quotes; 0: it is not UTF-8. */
static size_t measure(const struct ow_json_out *o, const char *s, size_t n)
{
	size_t sum = 2, i, used, k;
	char to[OW_JSONCHAR_MAX];

	for (i = 0; i < n; i += used, sum += k) {
		k = put_character(o, s + i, n - i, to, &used);
		if (k == 0)
			return 0;
	}
	return sum;
}

static int string_reserve(struct ow_json_out *o, const char *s, size_t n)
{
	size_t need;

	if (n <= SIZE_MAX / 16 && o->cap - o->len >= OW_JSONCHAR_MAX * n + 2)
		return 0;
	need = measure(o, s, n);
	return need == 0 ? -EILSEQ : ow_json_reserve(o, need);
}

int ow_json_string(struct ow_json_out *o, const char *s, size_t n)
{
	int r = string_reserve(o, s, n);
	size_t i = 0, used, k;
	uint64_t w;
	char *to;

	if (r < 0)
		return r;
	to = o->text + o->len;
	*to++ = '"';
	while (i < n) {
		for (; i + 8 <= n; i += 8, to += 8) {
			memcpy(&w, s + i, 8);
			if (!plain8(w))
				break;
			memcpy(to, &w, 8);
		}
		for (; i < n && ow_jsonchar_plain((unsigned char)s[i]); i++)
			*to++ = s[i];
		if (i == n)
			break;
		k = put_character(o, s + i, n - i, to, &used);
		if (k == 0)
			return -EILSEQ;
		to += k;
		i += used;
	}
	*to++ = '"';
	o->len = (size_t)(to - o->text);
	return 0;
}

/* Insert a backslash before each of the k slashes in n characters at s. */
static void escape_slashes(char *s, size_t n, size_t k)
{
	char *from = s + n, *to = from + k;

	while (to > from) {
		*--to = *--from;
		if (*to == '/')
			*--to = '\\';
	}
}

int ow_json_base64(struct ow_json_out *o, const void *p, size_t n)
{
	size_t size = ow_base64_size(n), i, slashes = 0;
	int r = ow_json_reserve(o, size + 2);
	char *s;

	if (r < 0)
		return r;
	s = o->text + o->len + 1;
	ow_base64_encode(s, p, n);
	for (i = 0; i < size; i++)
		slashes += s[i] == '/';
	r = ow_json_reserve(o, size + slashes + 2);
	if (r < 0)
		return r;
	s = o->text + o->len + 1;
	escape_slashes(s, size, slashes);
	s[-1] = s[size + slashes] = '"';
	o->len += size + slashes + 2;
	return 0;
}

int ow_json_long(struct ow_json_out *o, long v)
{
	char tmp[OW_NUMTEXT_MAX];

	return ow_json_raw(o, tmp, ow_numtext_long(tmp, v));
}

/* Beyond the range of long, 17 digits and an exponent give the exact value. */
int ow_json_real(struct ow_json_out *o, double v)
{
	char tmp[OW_NUMTEXT_MAX];
	size_t n;

	if (!isfinite(v))
		return -EILSEQ;
	if (v >= -0x1p63 && v < 0x1p63) {
		if (v == (double)(long)v)
			return ow_json_long(o, (long)v);
		n = ow_numtext_real(tmp, v, OW_NUMTEXT_DOUBLE);
	} else {
		n = ow_numtext_digits17(tmp, v);
	}
	return ow_json_raw(o, tmp, n);
}

int ow_json_end(struct ow_json_out *o)
{
	int r = ow_json_reserve(o, 1);

	if (r == 0)
		o->text[o->len] = '\0';
	return r;
}
