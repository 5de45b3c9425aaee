/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - Bprint, Bfprint, Bfprintcb: a buffer as text
 *
 * Lines are gathered in memory and leave in large pieces (Bfprint) or one by
 * one (Bfprintcb). The name is looked up once for all occurrences of a field.
 */
#include "libubf/value.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/cleanup.h"
#include "libubf/fldtbl.h"

#define PIECE 8192
#define NAME_MAX_TEXT 80

struct printer {
	char *text;
	size_t len, cap;
	const struct ow_fldtbl *names;	/* NULL: none */
	FILE *file;
	int (*line)(char **buffer, long datalen, void *dataptr1,
		    int *do_write, FILE *outf, int fid);
	void *arg;
	int depth;
};

typedef int line_fn(char **, long, void *, int *, FILE *, int);

static int room(struct printer *p, size_t more)
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

static int flush(struct printer *p)
{
	size_t n = fwrite(p->text, 1, p->len, p->file);

	if (n != p->len)
		return -EIO;
	p->len = 0;
	return 0;
}

/* A line is complete. */
static int line_done(struct printer *p, BFLDID id)
{
	const char *text = p->text;
	int do_write = 1;

	if (p->line == NULL)
		return p->len >= PIECE ? flush(p) : 0;
	p->text[p->len] = '\0';
	if (p->line(&p->text, (long)p->len + 1, p->arg, &do_write, NULL,
		    id) < 0)
		return -ECANCELED;
	if (p->text != text)
		p->cap = 1;	/* the function's memory, size unknown */
	p->len = 0;
	return 0;
}

static inline int plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '\\';
}

#define EACH_BYTE(b) (0x0101010101010101u * (b))

/* Some byte of w is zero. */
static inline uint64_t zero_byte(uint64_t w)
{
	return (w - EACH_BYTE(1)) & ~w & EACH_BYTE(0x80);
}

/* All eight bytes are plain. */
static inline int plain8(uint64_t w)
{
	uint64_t low = (w - EACH_BYTE(0x20)) & ~w & EACH_BYTE(0x80);

	return ((w & EACH_BYTE(0x80)) | low | zero_byte(w ^ EACH_BYTE(0x7f)) |
		zero_byte(w ^ EACH_BYTE('\\'))) == 0;
}

/* Room for four bytes per byte has been made. */
static void escape(struct printer *p, const char *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	char *to = p->text + p->len;
	unsigned char c;
	uint64_t w;
	size_t i;

	for (i = 0; i < n; i++) {
		for (; i + 8 <= n; i += 8, to += 8) {
			memcpy(&w, s + i, 8);
			if (!plain8(w))
				break;
			memcpy(to, &w, 8);
		}
		if (i == n)
			break;
		c = (unsigned char)s[i];
		if (plain(c)) {
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

/* The value of one occurrence, as text. */
static int put_value(struct printer *p, unsigned int type,
		     struct ow_ubf_val v)
{
	struct ow_ubf_conv c;

	if (type != BFLD_CHAR && ow_ubf_type_fixed(type)) {
		if (ow_ubf_convert(type, v, BFLD_CARRAY, &c) < 0)
			return -EINVAL;
		v = c.val;
	} else if (type == BFLD_STRING) {
		v.len--;
	} else if (type == BFLD_UBF) {
		return 0;
	}
	if (room(p, 4 * v.len + 2) < 0)
		return -ENOMEM;
	escape(p, v.data, v.len);
	return 0;
}

static void field_name(const struct printer *p, BFLDID id, char *to)
{
	const char *name = p->names == NULL ? NULL
					    : ow_fldtbl_name(p->names, id);

	if (name == NULL)
		snprintf(to, NAME_MAX_TEXT, "((BFLDID32)%d)", id);
	else
		strcpy(to, name);
}

static int print_level(struct printer *p, const struct Ubfh *h);

/* Copy by words: names are short, and there is room to write past them. */
static inline void put_name(char *to, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < n; i += 8)
		memcpy(to + i, name + i, 8);
}

/* `name` has n bytes, in NAME_MAX_TEXT. */
static int print_entry(struct printer *p, const struct Ubfh *h,
		       const struct ow_ubf_ent *e, const char *name, size_t n)
{
	unsigned int type = ow_ubf_id_type((BFLDID)e->id);
	size_t depth = (size_t)p->depth;
	int r;

	if (room(p, depth + NAME_MAX_TEXT + 1) < 0)
		return -ENOMEM;
	for (; depth > 0; depth--)
		p->text[p->len++] = '\t';
	put_name(p->text + p->len, name, n);
	p->len += n;
	p->text[p->len++] = '\t';
	r = put_value(p, type, ow_ubf_entry_val(h, e));
	if (r == 0)
		r = room(p, 2);
	if (r < 0)
		return r;
	p->text[p->len++] = '\n';
	r = line_done(p, (BFLDID)e->id);
	if (r < 0 || type != BFLD_UBF)
		return r;
	p->depth++;
	r = print_level(p, (const struct Ubfh *)ow_ubf_value(h, e));
	p->depth--;
	return r;
}

static int print_level(struct printer *p, const struct Ubfh *h)
{
	const struct ow_ubf_ent *dir = ow_ubf_dir(h);
	uint32_t i, count = ow_ubf_count(h);
	char name[NAME_MAX_TEXT] = "";
	size_t n = 0;
	int r;

	for (i = 0; i < count; i++) {
		if (i == 0 || dir[i].id != dir[i - 1].id) {
			field_name(p, (BFLDID)dir[i].id, name);
			n = strlen(name);
		}
		r = print_entry(p, h, dir + i, name, n);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Tables that cannot be read are no reason not to print. */
static int print(UBFH *h, FILE *file, line_fn *line, void *arg)
{
	struct printer p = { .file = file, .line = line, .arg = arg };
	char error[OW_FLDTBL_ERROR_MAX];
	int r;

	p.cap = 2 * PIECE;
	p.text = malloc(p.cap);
	if (p.text == NULL)
		return ow_ubf_fail(BMALLOC, "Bfprint: out of memory");
	if (ow_fldtbl_get(&p.names, error) < 0)
		p.names = NULL;
	r = print_level(&p, h);
	if (r == 0 && line == NULL)
		r = flush(&p);
	free(p.text);
	if (r == -ECANCELED)
		return ow_ubf_fail(BEINVAL, "Bfprintcb: the function failed");
	if (r == -EIO)
		return ow_ubf_fail(BEUNIX, "Bfprint: cannot write: %s",
				   strerror(errno));
	return r < 0 ? ow_ubf_fail_errno(r, "Bfprint") : 0;
}

int Bfprint(UBFH *p_ub, FILE *outf)
{
	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (outf == NULL)
		return ow_ubf_fail(BEINVAL, "Bfprint: no file");
	return print(p_ub, outf, NULL, NULL);
}

int Bprint(UBFH *p_ub)
{
	return Bfprint(p_ub, stdout);
}

int Bfprintcb(UBFH *p_ub,
	      int (*p_writef)(char **buffer, long datalen, void *dataptr1,
			      int *do_write, FILE *outf, int fid),
	      void *dataptr1)
{
	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (p_writef == NULL)
		return ow_ubf_fail(BEINVAL, "Bfprintcb: no function");
	return print(p_ub, NULL, p_writef, dataptr1);
}
