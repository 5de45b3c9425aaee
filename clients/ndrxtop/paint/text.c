/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - draw a text at a place of the screen
 */
#include "clients/ndrxtop/paint/text.h"

#include <curses.h>
#include <stdarg.h>
#include <stdio.h>

#include "libubf/base/text_width.h"

int ow_paint_text(int y, int x, enum ow_style style, const char *text)
{
	int room = COLS - x;

	if (room <= 0 || y < 0 || y >= LINES)
		return x;
	ow_style_set(style, false);
	mvaddnstr(y, x, text, (int)ow_text_fit(text, room));
	return x + ow_text_columns(text);
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
