/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_read.c - Bvextread, Bvextreadcb: a structure from text
 */
#include "libubf/io/view_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/cleanup.h"
#include "libubf/base/error.h"
#include "libubf/base/escape.h"
#include "libubf/viewdef/mem.h"

/* A structure being read; seen[i] lines of column i have come. */
struct reading {
	struct ow_lines *lines;
	const struct ow_view *view;
	char *cs;
	uint32_t *seen;
};

struct statement {
	char op;	/* '+', '-', '=' or 0 */
	struct ow_view_col *col;
	char *value;	/* unescaped */
	size_t len;
};

long ow_lines_from_file(char *buffer, long bufsz, void *file)
{
	size_t n = fread(buffer, 1, (size_t)bufsz, file);

	return n == 0 && ferror((FILE *)file) ? -1 : (long)n;
}

static int syntax(const struct ow_lines *l, const char *what)
{
	return ow_ubf_fail(BSYNTAX, "line %u: %s", l->lineno, what);
}

int ow_lines_failed(const struct ow_lines *l, int r)
{
	if (r == -EBADMSG)
		return syntax(l, "no newline at the end, or a NUL byte");
	if (r == -ENOMEM)
		return ow_ubf_fail(BMALLOC, "Bextread: out of memory");
	return ow_ubf_fail(BEUNIX, "Bextread: reading failed");
}

static struct ow_view_col *column(const struct reading *x, const char *cname)
{
	struct ow_view_col *c = ow_view_column(x->view, cname);

	if (c == NULL)
		ow_ubf_fail(BNOCNAME, "line %u: view %s has no member '%.60s'",
			    x->lines->lineno, x->view->name, cname);
	return c;
}

/* Take a line apart; 1, 0 nothing on it, -1 with Berror set. */
static int parse(const struct reading *x, char *line, struct statement *st)
{
	char *tab;
	long len;

	*st = (struct statement){ 0 };
	if (line[0] == '\0' || line[0] == '#')
		return 0;
	if (strchr("+-=", line[0]) != NULL) {
		if (line[1] != ' ' && line[1] != '\t')
			return syntax(x->lines, "+, - and = want a blank "
				      "after them");
		st->op = line[0];
		line += 2;
	}
	tab = strchr(line, '\t');
	if (tab == NULL && st->op != '-')
		return syntax(x->lines, "no tab behind the name");
	if (tab != NULL)
		*tab++ = '\0';
	st->col = column(x, line);
	if (st->col == NULL)
		return -1;
	st->value = tab != NULL ? tab : line + strlen(line);
	len = ow_ubf_unescape(st->value);
	if (len < 0)
		return syntax(x->lines, "a backslash wants another or two hex "
			      "digits");
	st->len = (size_t)len;
	return 1;
}

static int store(const struct reading *x, const struct ow_view_col *c,
		 uint32_t occ, unsigned int type, struct ow_ubf_val v)
{
	int r;

	if (occ >= c->count)
		return ow_ubf_fail(BEINVAL, "line %u: %s has only %u "
				   "occurrences", x->lines->lineno, c->cname,
				   c->count);
	r = ow_view_store(c, x->cs, occ, type, v);
	if (r == -ENOSPC)
		return ow_ubf_fail(BNOSPACE, "line %u: %s has %u bytes",
				   x->lines->lineno, c->cname, c->size);
	if (r < 0)
		return ow_ubf_fail_errno(r, c->cname);
	if (occ >= ow_view_used(c, x->cs))
		ow_view_set_used(c, x->cs, occ + 1);
	return 0;
}

/* "= NAME OTHER": the first element of OTHER becomes that of NAME. */
static int copy_member(const struct reading *x, const struct statement *st)
{
	const struct ow_view_col *other;
	struct ow_ubf_val v;
	unsigned int type;

	other = column(x, st->value);
	if (other == NULL)
		return -1;
	if (ow_view_used(other, x->cs) == 0)
		return ow_ubf_fail(BNOTPRES, "line %u: %s has no element",
				   x->lines->lineno, other->cname);
	v = ow_view_value(other, x->cs, 0, &type);
	return store(x, st->col, 0, type, v);
}

static int apply(const struct reading *x, const struct statement *st)
{
	struct ow_ubf_val v = { st->value, st->len };

	if (st->op == '=')
		return copy_member(x, st);
	if (st->op == '-') {
		ow_view_store_null(st->col, x->cs, 0);
		return 0;
	}
	if (st->op == '+')
		return store(x, st->col, 0, BFLD_CARRAY, v);
	return store(x, st->col, x->seen[st->col - x->view->cols]++,
		     BFLD_CARRAY, v);
}

static int read_level(const struct reading *x, int depth)
{
	struct statement st;
	char *line;
	int r;

	while ((r = ow_lines_peek(x->lines, &line)) > 0) {
		size_t tabs = strspn(line, "\t");

		if (line[0] != '\0' && line[0] != '#') {
			if (tabs < (size_t)depth)
				return 0;
			if (tabs > (size_t)depth)
				return syntax(x->lines, "too many tabs before "
					      "the name");
			line += tabs;
		}
		r = parse(x, line, &st);
		/* The text of a taken line stays until the next peek. */
		ow_lines_take(x->lines);
		if (r > 0)
			r = apply(x, &st);
		if (r < 0)
			return -1;
	}
	return r < 0 ? ow_lines_failed(x->lines, r) : 0;
}

int ow_view_read_lines(struct ow_lines *l, int depth,
		       const struct ow_view *view, char *cs)
{
	OW_CLEANUP(ow_cleanup_freep) uint32_t *seen = NULL;

	seen = calloc(view->ncols, sizeof(*seen));
	if (seen == NULL)
		return ow_ubf_fail(BMALLOC, "Bvextread: out of memory");
	return read_level(&(struct reading){ l, view, cs, seen }, depth);
}

static int read_all(char *cstruct, char *view, ow_lines_read *fn, void *arg)
{
	struct ow_lines lines = { .read = fn, .arg = arg };
	const struct ow_view *v;
	int r;

	if (ow_view_enter(view, &v) < 0)
		return -1;
	if (cstruct == NULL || fn == NULL)
		return ow_ubf_fail(BEINVAL, "Bvextread: no structure, or "
				   "nothing to read from");
	r = ow_view_read_lines(&lines, 0, v, cstruct);
	ow_lines_close(&lines);
	return r;
}

int Bvextread(char *cstruct, char *view, FILE *inf)
{
	return read_all(cstruct, view, inf == NULL ? NULL : ow_lines_from_file,
			inf);
}

int Bvextreadcb(char *cstruct, char *view,
		long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
		void *dataptr1)
{
	return read_all(cstruct, view, p_readf, dataptr1);
}
