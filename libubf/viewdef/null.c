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
#define NULL_MORE 8

/* The byte that the text behind a backslash stands for, or -1; *s moves to its
 * last character. One to three octal digits are a code. */
static int escaped(const char **s)
{
	static const char from[] = "abfnrtv\\'\"", to[] = "\a\b\f\n\r\t\v\\'\"";
	const char *p;
	int i, code = 0;

	for (i = 0; i < 3 && (*s)[i] >= '0' && (*s)[i] <= '7'; i++)
		code = code * 8 + (*s)[i] - '0';
	if (i > 0) {
		*s += i - 1;
		return code <= UCHAR_MAX ? code : -1;
	}
	p = **s == '\0' ? NULL : strchr(from, **s);
	return p == NULL ? -1 : (unsigned char)to[p - from];
}

/* Copy text without quotes and escapes; returns its length, or -1. */
static long unquote(const char *s, char *to)
{
	size_t n = strlen(s);
	const char *end = s + n - 1;
	char *at = to;

	if (s[0] != '"' && s[0] != '\'') {
		memcpy(to, s, n);
		return (long)n;
	}
	for (s++; s < end; s++) {
		int c = (unsigned char)*s;

		if (c == '\\') {
			s++;
			c = escaped(&s);
			if (c < 0 || s >= end)
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

/* A text that is longer than the member is cut, as Tuxedo does. */
static int take_text(struct ow_view_col *c, const char *text)
{
	uint32_t max = c->size - (c->type == BFLD_STRING);
	long n = unquote(text, c->null);

	if (n < 0)
		return -EINVAL;
	if (c->type == BFLD_STRING)
		n = (long)strnlen(c->null, (size_t)n);
	c->null_cut = (uint32_t)n > max;
	c->null_len = c->null_cut ? max : (uint32_t)n;
	c->null[c->null_len] = '\0';
	return 0;
}

int ow_view_null_parse(struct ow_view_col *c, const char *text)
{
	int is_text = c->type == BFLD_STRING || c->type == BFLD_CARRAY;

	c->null = calloc(1, strlen(text) + NULL_MORE);
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
