/* SPDX-License-Identifier: Apache-2.0 */
/*
 * null.c - the null column of a view file
 *
 * It holds a number, text in quotes with some escapes of C, `-` (zero, or
 * empty) or NONE (no value is null).
 */
#include "libubf/viewdef/null.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/numtext.h"

/* At least 8 bytes, so that it can be compared as any number. */
#define ROOM_MIN 8

/* The byte that an escape stands for, or -1. */
static int escaped(char c)
{
	static const char from[] = "0ntf\\'\"v", to[] = "\0\n\t\f\\'\"\v";
	const char *p = c == '\0' ? NULL : strchr(from, c);

	return p == NULL ? -1 : (unsigned char)to[p - from];
}

/* Copy text without quotes and escapes; returns its length, or -1. */
static long unquote(const char *s, char *to)
{
	size_t n = strlen(s);
	char *at = to;
	size_t i;

	if (s[0] != '"' && s[0] != '\'') {
		memcpy(to, s, n);
		return (long)n;
	}
	for (i = 1; i + 1 < n; i++) {
		int c = (unsigned char)s[i];

		if (c == '\\') {
			c = escaped(s[++i]);
			if (c < 0 || i + 1 >= n)
				return -1;
		}
		*at++ = (char)c;
	}
	return at - to;
}

static int take_integer(const char *text, long min, long max, long *ret)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || v < min || v > max)
		return -EINVAL;
	*ret = v;
	return 0;
}

static int take_real(struct ow_view_col *c, const char *text)
{
	char *end;
	double d = ow_numtext_to_double(text, &end);
	float f = (float)d;

	if (end == text || *end != '\0')
		return -EINVAL;
	if (c->type == BFLD_FLOAT)
		memcpy(c->null, &f, sizeof(f));
	else
		memcpy(c->null, &d, sizeof(d));
	return 0;
}

static int take_number(struct ow_view_col *c, const char *text)
{
	long v = 0;
	short s;
	int i, r;

	switch (c->type) {
	case BFLD_SHORT:
		r = take_integer(text, SHRT_MIN, SHRT_MAX, &v);
		s = (short)v;
		memcpy(c->null, &s, sizeof(s));
		return r;
	case BFLD_INT:
		r = take_integer(text, INT_MIN, INT_MAX, &v);
		i = (int)v;
		memcpy(c->null, &i, sizeof(i));
		return r;
	case BFLD_LONG:
		r = take_integer(text, LONG_MIN, LONG_MAX, &v);
		memcpy(c->null, &v, sizeof(v));
		return r;
	default:
		return take_real(c, text);
	}
}

/* A character, or its code. */
static int take_char(struct ow_view_col *c, const char *text)
{
	long v, n;

	if (text[0] != '"' && text[0] != '\'' && text[1] != '\0') {
		if (take_integer(text, SCHAR_MIN, UCHAR_MAX, &v) < 0)
			return -EINVAL;
		c->null[0] = (char)v;
		return 0;
	}
	n = unquote(text, c->null);
	return n == 1 ? 0 : -EINVAL;
}

static int take_text(struct ow_view_col *c, const char *text)
{
	long n = unquote(text, c->null);

	if (n < 0)
		return -EINVAL;
	if (c->type == BFLD_STRING)
		n = (long)strnlen(c->null, (size_t)n);
	if ((uint32_t)n > c->size - (c->type == BFLD_STRING))
		return -E2BIG;
	c->null_len = (uint32_t)n;
	return 0;
}

int ow_view_null_parse(struct ow_view_col *c, const char *text)
{
	int is_text = c->type == BFLD_STRING || c->type == BFLD_CARRAY;

	c->null = calloc(1, strlen(text) + ROOM_MIN);
	if (c->null == NULL)
		return -ENOMEM;
	c->null_len = is_text ? 0 : c->size;
	c->null_kind = OW_VIEW_NULL_DEFAULT;
	if (strcmp(text, "NONE") == 0)
		c->null_kind = OW_VIEW_NULL_NONE;
	if (strcmp(text, "-") == 0 || strcmp(text, "NONE") == 0)
		return 0;
	c->null_kind = OW_VIEW_NULL_VALUE;
	if (is_text)
		return take_text(c, text);
	return c->type == BFLD_CHAR ? take_char(c, text)
				    : take_number(c, text);
}
