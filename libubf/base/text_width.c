/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_width.c - the columns that a text takes in a terminal
 */
#include "libubf/base/text_width.h"

#include <stdint.h>
#include <string.h>

#include "libubf/base/jsonchar.h"

/* Characters from `first` to `last`, of `columns` each; others have one. */
static const struct {
	uint32_t first, last;
	int columns;
} special[] = {
	{ 0x300, 0x36f, 0 },	 { 0x1100, 0x115f, 2 },
	{ 0x200b, 0x200f, 0 },	 { 0x20d0, 0x20ff, 0 },
	{ 0x2e80, 0x303e, 2 },	 { 0x3041, 0xa4cf, 2 },
	{ 0xac00, 0xd7a3, 2 },	 { 0xf900, 0xfaff, 2 },
	{ 0xfe00, 0xfe0f, 0 },	 { 0xfe20, 0xfe2f, 0 },
	{ 0xfe30, 0xfe6f, 2 },	 { 0xff00, 0xff60, 2 },
	{ 0xffe0, 0xffe6, 2 },	 { 0x1f300, 0x1f64f, 2 },
	{ 0x1f680, 0x1faff, 2 }, { 0x20000, 0x3fffd, 2 },
};

static int columns_of(const unsigned char *s, size_t n)
{
	uint32_t c = n == 2 ? s[0] & 0x1fu : n == 3 ? s[0] & 0x0fu
						    : s[0] & 0x07u;
	size_t i;

	for (i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3fu);
	for (i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (c >= special[i].first && c <= special[i].last)
			return special[i].columns;
	return 1;
}

/* The bytes of the first character. */
static size_t next(const char *text, int *ret_columns)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = *s < 0x80 ? 1 : ow_utf8_length(s, strnlen(text, 4));

	*ret_columns = n < 2 ? 1 : columns_of(s, n);
	return n != 0 ? n : 1;
}

int ow_text_columns(const char *text)
{
	int sum = 0, columns;

	for (; *text != '\0'; sum += columns)
		text += next(text, &columns);
	return sum;
}

size_t ow_text_fit(const char *text, int columns)
{
	size_t done = 0, n;
	int used = 0, more;

	for (; text[done] != '\0'; done += n, used += more) {
		n = next(text + done, &more);
		if (used + more > columns)
			break;
	}
	return done;
}
