/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printer.h - lines of text on their way out
 *
 * Shared by the printing of buffers and of structures: lines are gathered in
 * memory and leave in large pieces (a file) or one by one (a function of the
 * program). Inline, for these are the inner loops of Bfprint().
 */
#ifndef OW_UBF_PRINTER_H
#define OW_UBF_PRINTER_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/bytes8.h"
#include "libubf/base/type.h"
#include "libubf/convert/conv.h"
#include "libubf/tables/fldtbl.h"

#define OW_PRINTER_PIECE 8192
#define OW_PRINTER_NAME_MAX 80

typedef int ow_printer_line(char **buffer, long datalen, void *dataptr1,
			    int *do_write, FILE *outf, int fid);

struct ow_printer {
	char *text;
	size_t len, cap;
	const struct ow_fldtbl *names;	/* NULL: they cannot be read */
	FILE *file;
	ow_printer_line *line;	/* NULL: to the file */
	void *arg;
	int depth;		/* tabs before each line */
};

static inline int ow_printer_reserve(struct ow_printer *p, size_t more)
{
	size_t cap = p->cap;
	char *t;

	if (p->len + more <= cap)
		return 0;
	while (cap < p->len + more)
		cap *= 2;
	t = realloc(p->text, cap);
	if (t == NULL)
		return -ENOMEM;
	p->text = t;
	p->cap = cap;
	return 0;
}

/* Write out all lines: 0 or -EIO. */
int ow_printer_flush(struct ow_printer *p);

/* A line is complete: hand it to the function, or write to the file if enough
 * is gathered. `id` is the field of the line. 0, -EIO, or -ECANCELED (the
 * function failed). */
static inline int ow_printer_line_done(struct ow_printer *p, BFLDID id)
{
	const char *text = p->text;
	int do_write = 1;

	if (p->line == NULL)
		return p->len >= OW_PRINTER_PIECE ? ow_printer_flush(p) : 0;
	p->text[p->len] = '\0';
	if (p->line(&p->text, (long)p->len + 1, p->arg, &do_write, NULL,
		    id) < 0)
		return -ECANCELED;
	if (p->text != text)
		p->cap = 1;	/* memory of the function, size unknown */
	p->len = 0;
	return 0;
}

/* The byte stands for itself. */
static inline int ow_printer_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '\\';
}

/* All eight bytes stand for themselves. */
static inline int ow_printer_plain8(uint64_t w)
{
	return (ow_bytes8_unprintable(w) | ow_bytes8_has(w, '\\')) == 0;
}

/* Append n bytes with escapes. The caller has made room for 4 * n bytes. */
static inline void ow_printer_escape(struct ow_printer *p, const char *s,
				     size_t n)
{
	static const char hex[] = "0123456789abcdef";
	char *to = p->text + p->len;
	unsigned char c;
	uint64_t w;
	size_t i;

	for (i = 0; i < n; i++) {
		for (; i + 8 <= n; i += 8, to += 8) {
			memcpy(&w, s + i, 8);
			if (!ow_printer_plain8(w))
				break;
			memcpy(to, &w, 8);
		}
		if (i == n)
			break;
		c = (unsigned char)s[i];
		if (ow_printer_plain(c)) {
			*to++ = (char)c;
		} else if (c == '\\') {
			*to++ = '\\';
			*to++ = '\\';
		} else {
			*to++ = '\\';
			*to++ = hex[c >> 4];
			*to++ = hex[c & 15];
		}
	}
	p->len = (size_t)(to - p->text);
}

/* Append the value of one occurrence as text; nothing of an embedded buffer or
 * view, whose lines follow. */
static inline int ow_printer_put_value(struct ow_printer *p,
				       unsigned int type, struct ow_ubf_val v)
{
	struct ow_ubf_conv c;

	if (type != BFLD_CHAR && ow_ubf_type_fixed(type)) {
		ow_ubf_exact_text(type, v, &c);
		v = c.val;
	} else if (type == BFLD_STRING) {
		v.len--;
	} else if (type >= BFLD_UBF) {
		return 0;
	}
	if (ow_printer_reserve(p, 4 * v.len + 2) < 0)
		return -ENOMEM;
	ow_printer_escape(p, v.data, v.len);
	return 0;
}

/* Make room for the tabs and the name of a line, and append the tabs. */
static inline int ow_printer_begin(struct ow_printer *p)
{
	size_t depth = (size_t)p->depth;

	if (ow_printer_reserve(p, depth + OW_PRINTER_NAME_MAX + 1) < 0)
		return -ENOMEM;
	for (; depth > 0; depth--)
		p->text[p->len++] = '\t';
	return 0;
}

/* Append the newline. 0 or -errno. */
static inline int ow_printer_end(struct ow_printer *p, BFLDID id)
{
	if (ow_printer_reserve(p, 2) < 0)
		return -ENOMEM;
	p->text[p->len++] = '\n';
	return ow_printer_line_done(p, id);
}

/* What to print and where: to a file, or line by line to a function. */
struct ow_printer_job {
	FILE *file;
	ow_printer_line *line;
	void *arg;
	int (*level)(struct ow_printer *p, const void *what);	/* 0, -errno */
	const void *what;
};
/* 0, or -1 with Berror. */
int ow_printer_run(const struct ow_printer_job *job);

#endif
