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

struct dump {
	int fac, lev;
	int len; /* of the memory */
};

static void emit_title(const struct dump *d, const char *comment)
{
	char text[512];

	snprintf(text, sizeof(text), "%.400s: %d bytes",
		 comment != NULL ? comment : "dump", d->len);
	ow_log_emit((enum ow_log_fac)d->fac, d->lev, "", 0, "", text);
}

static int row_len(const struct dump *d, int off)
{
	return d->len - off < ROW ? d->len - off : ROW;
}

/* Log the row of `memory` at `off`. */
static void emit_row(const struct dump *d, char sign,
		     const unsigned char *memory, int off)
{
	const unsigned char *row = memory + off;
	char text[ROW_TEXT];
	int used = snprintf(text, ROW_TEXT, "%c %04x  ", sign, off);
	int n = row_len(d, off);

	for (int i = 0; i < ROW; i++)
		used += i < n ? snprintf(text + used, ROW_TEXT - (size_t)used,
					 "%02x ", row[i])
			      : snprintf(text + used, ROW_TEXT - (size_t)used,
					 "   ");
	text[used++] = ' ';
	for (int i = 0; i < n; i++)
		text[used++] = isprint(row[i]) ? (char)row[i] : '.';
	text[used] = '\0';
	ow_log_emit((enum ow_log_fac)d->fac, d->lev, "", 0, "", text);
}

void ow_ndebug_dump(int fac, int lev, const char *comment, const void *ptr,
		    int len)
{
	const struct dump d = { .fac = fac, .lev = lev, .len = len };

	emit_title(&d, comment);
	for (int off = 0; ptr != NULL && off < len; off += ROW)
		emit_row(&d, ' ', ptr, off);
}

void ow_ndebug_dump_diff(int fac, int lev, const char *comment, const void *ptr,
			 const void *ptr2, int len)
{
	const struct dump d = { .fac = fac, .lev = lev, .len = len };
	const unsigned char *a = ptr, *b = ptr2;

	emit_title(&d, comment);
	for (int off = 0; a != NULL && b != NULL && off < len; off += ROW) {
		if (memcmp(a + off, b + off, (size_t)row_len(&d, off)) == 0)
			continue;
		emit_row(&d, '<', a, off);
		emit_row(&d, '>', b, off);
	}
}
