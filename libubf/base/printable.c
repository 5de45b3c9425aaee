/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printable.c - texts of others, made harmless for a terminal
 */
#include "libubf/base/printable.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/jsonchar.h"

/* Bytes of the harmless character at `text`; 0: it is none. */
static size_t harmless(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	if (*s < 0x80)
		return *s >= ' ' && *s != 0x7f;
	if (s[0] == 0xc2 && s[1] < 0xa0)
		return 0; /* C1, or cut off */
	return ow_utf8_length(s, strnlen(text, 4));
}

/* `keep`: controls that stay. */
static void clean(char *text, const char *keep)
{
	size_t n;

	for (; *text != '\0'; text += n) {
		n = harmless(text);
		if (n > 0)
			continue;
		n = 1;
		if (strchr(keep, *text) == NULL)
			*text = '?';
	}
}

void ow_printable(char *text)
{
	clean(text, "");
}

void ow_printable_line(char *text)
{
	clean(text, "\t");
}

void ow_printable_lines(char *text)
{
	clean(text, "\t\n");
}

void ow_print(FILE *f, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text == NULL)
		return; /* no memory */
	clean(text, "\t\n");
	fputs(text, f);
	free(text);
}
