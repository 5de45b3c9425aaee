/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - draw a text at a place of the screen
 */
#include "clients/ndrxtop/paint/text.h"

#include <curses.h>
#include <stdarg.h>
#include <stdio.h>

/* The number of characters: bytes 10xxxxxx continue a character. */
static int text_width(const char *s)
{
	int n = 0;

	for (; *s != '\0'; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

int ow_paint_text(int y, int x, enum ow_style style, const char *text)
{
	int room = COLS - x, width = text_width(text);
	const char *end = text;

	if (room <= 0 || y < 0 || y >= LINES)
		return x;
	ow_style_set(style, false);
	while (*end != '\0' && room > 0) {
		end++;
		while (((unsigned char)*end & 0xc0) == 0x80)
			end++;
		room--;
	}
	mvaddnstr(y, x, text, (int)(end - text));
	return x + width;
}

int ow_paint_fmt(int y, int x, enum ow_style style, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return ow_paint_text(y, x, style, text);
}
