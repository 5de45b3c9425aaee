/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndebug_dump.c - memory in the debug log: rows of 16 bytes, or differences
 *
 * A row is `  0010  48 65 6c ...  Hel...`, one line of the log each.
 */
#include <ctype.h>
#include <ndebug.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/log/emit.h"

#define ROW	 16
#define ROW_TEXT 96

static void format_row(const unsigned char *row, int off, int n, char sign,
		       char text[ROW_TEXT])
{
	int used = snprintf(text, ROW_TEXT, "%c %04x  ", sign, off);

	for (int i = 0; i < ROW; i++)
		used += i < n ? snprintf(text + used, ROW_TEXT - (size_t)used,
					 "%02x ", row[i])
			      : snprintf(text + used, ROW_TEXT - (size_t)used,
					 "   ");
	text[used++] = ' ';
	for (int i = 0; i < n; i++)
		text[used++] = isprint(row[i]) ? (char)row[i] : '.';
	text[used] = '\0';
}

static void emit(int fac, int lev, const char *text)
{
	ow_log_emit((enum ow_log_fac)fac, lev, "", 0, "", text);
}

static void emit_row(int fac, int lev, const unsigned char *row, int range[2],
		     char sign)
{
	char text[ROW_TEXT];

	format_row(row, range[0], range[1], sign, text);
	emit(fac, lev, text);
}

static void emit_title(int fac, int lev, const char *comment, int len)
{
	char text[512];

	snprintf(text, sizeof(text), "%.400s: %d bytes",
		 comment != NULL ? comment : "dump", len);
	emit(fac, lev, text);
}

static int row_len(int off, int len)
{
	return len - off < ROW ? len - off : ROW;
}

void ow_ndebug_dump(int fac, int lev, const char *comment, const void *ptr,
		    int len)
{
	const unsigned char *p = ptr;

	emit_title(fac, lev, comment, len);
	for (int off = 0; p != NULL && off < len; off += ROW) {
		int range[2] = { off, row_len(off, len) };

		emit_row(fac, lev, p + off, range, ' ');
	}
}

void ow_ndebug_dump_diff(int fac, int lev, const char *comment, const void *ptr,
			 const void *ptr2, int len)
{
	const unsigned char *a = ptr, *b = ptr2;

	emit_title(fac, lev, comment, len);
	for (int off = 0; a != NULL && b != NULL && off < len; off += ROW) {
		int range[2] = { off, row_len(off, len) };

		if (memcmp(a + off, b + off, (size_t)range[1]) == 0)
			continue;
		emit_row(fac, lev, a + off, range, '<');
		emit_row(fac, lev, b + off, range, '>');
	}
}
