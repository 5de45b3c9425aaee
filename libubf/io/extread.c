/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extread.c - Bextread: fields from the text that Bfprint writes
 *
 * An embedded buffer is a line without value, followed by lines with one more
 * tab; it is read into memory of its own and then added as a whole.
 */
#include "libubf/access/enter.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/base/apiflag.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/escape.h"
#include "libubf/io/view_read.h"
#include "libubf/tables/errtext.h"
#include "libubf/viewdef/registry.h"

struct extread {
	struct ow_lines lines;
	int pointers;	/* ubf_ptrparse: take pointers */
};

struct statement {
	unsigned int line;
	char op;	/* '+', '-', '=' or 0 */
	BFLDID id;
	char *value;	/* unescaped */
	BFLDLEN len;
};

static int read_level(struct extread *x, UBFH *p, int depth);

static int syntax(const struct extread *x, const char *what)
{
	return ow_ubf_fail(BSYNTAX, "line %u: %s", x->lines.lineno, what);
}

/* NAME or ((BFLDID32)number), as Bfprint writes it. */
static BFLDID parse_id(char *name)
{
	int id, end = 0;

	if (sscanf(name, "((BFLDID32)%d)%n", &id, &end) == 1 && end > 0 &&
	    name[end] == '\0') {
		if (ow_ubf_id_ok(id))
			return id;
		(void)ow_ubf_bad_id(id);
		return BBADFLDID;
	}
	return Bfldid(name);
}

/* Take a line apart; 1, 0 nothing on it, -1 with Berror set. */
static int parse(const struct extread *x, char *line, struct statement *st)
{
	char *tab;
	long len;

	*st = (struct statement){ .line = x->lines.lineno };
	if (line[0] == '\0' || line[0] == '#')
		return 0;
	if (strchr("+-=", line[0]) != NULL) {
		if (line[1] != ' ' && line[1] != '\t')
			return syntax(x, "+, - and = want a blank after them");
		st->op = line[0];
		line += 2;
	}
	tab = strchr(line, '\t');
	if (tab == NULL && st->op != '-')
		return syntax(x, "no tab behind the name");
	if (tab != NULL)
		*tab++ = '\0';
	st->id = parse_id(line);
	if (st->id == BBADFLDID)
		return ow_ubf_fail_at(st->line);
	st->value = tab != NULL ? tab : line + strlen(line);
	len = ow_ubf_unescape(st->value);
	if (len < 0)
		return syntax(x, "a backslash wants another or two hex digits");
	st->len = (BFLDLEN)len;
	return 1;
}

/* What has been done with a statement: tell in which line it failed. */
static int put(const struct statement *st, int r)
{
	return r < 0 ? ow_ubf_fail_at(st->line) : r;
}

/* "= NAME OTHER": the first occurrence of OTHER becomes that of NAME. */
static int copy_field(const struct extread *x, UBFH *p,
		      const struct statement *st)
{
	BFLDID other;
	BFLDLEN len;
	char *v;

	if ((size_t)st->len != strlen(st->value))
		return syntax(x, "= wants the name of a field as value");
	other = parse_id(st->value);
	if (other == BBADFLDID)
		return ow_ubf_fail_at(st->line);
	v = Bfind(p, other, 0, &len);
	if (v == NULL)
		return ow_ubf_fail_at(st->line);
	return put(st, CBchg(p, st->id, 0, v, len, Bfldtype(other)));
}

/* The lines of an embedded buffer, then the buffer. */
static int read_embedded(struct extread *x, UBFH *p,
			 const struct statement *st, int depth)
{
	OW_CLEANUP(ow_cleanup_freep) UBFH *sub = NULL;
	size_t size = p->size; /* touched as far as it is used */

	if (depth >= OW_UBF_DEPTH_MAX)
		return syntax(x, "buffers are nested too deep");
	sub = malloc(size);
	if (sub == NULL)
		return ow_ubf_fail(BMALLOC, "Bextread: %zu bytes", size);
	(void)ow_ubf_init(sub, size);
	if (read_level(x, sub, depth + 1) < 0)
		return -1;
	if (st->op == '+')
		return put(st, Bchg(p, st->id, 0, (char *)sub, 0));
	return put(st, Badd(p, st->id, (char *)sub, 0));
}

/* The lines of a view, then the view. */
static int read_view(struct extread *x, UBFH *p, const struct statement *st,
		     int depth)
{
	OW_CLEANUP(ow_cleanup_freep) char *cs = NULL;
	const struct ow_view *view;
	BVIEWFLD f = { 0 };

	if ((size_t)st->len >= sizeof(f.vname) ||
	    strlen(st->value) != (size_t)st->len)
		return syntax(x, "the value of a view is its name");
	strcpy(f.vname, st->value);
	if (f.vname[0] != '\0') {
		if (ow_view_enter(f.vname, &view) < 0)
			return ow_ubf_fail_at(st->line);
		cs = malloc(view->size);
		if (cs == NULL)
			return ow_ubf_fail(BMALLOC, "Bextread: %u bytes",
					   view->size);
		ow_view_init(view, cs);
		if (ow_view_read_lines(&x->lines, depth + 1, view, cs) < 0)
			return -1;
		f.data = cs;
	}
	if (st->op == '+')
		return put(st, Bchg(p, st->id, 0, (char *)&f, 0));
	return put(st, Badd(p, st->id, (char *)&f, 0));
}

static int apply(struct extread *x, UBFH *p, const struct statement *st,
		 int depth)
{
	unsigned int type = ow_ubf_id_type(st->id);

	if (st->op == '-')
		return put(st, Bdel(p, st->id, 0));
	if (st->op == '=')
		return copy_field(x, p, st);
	if (type == BFLD_PTR && !x->pointers)
		return 0;
	if (type == BFLD_VIEW)
		return read_view(x, p, st, depth);
	if (type == BFLD_UBF) {
		if (st->len > 0)
			return syntax(x, "an embedded buffer has no value");
		return read_embedded(x, p, st, depth);
	}
	if (st->op == '+')
		return put(st, CBchg(p, st->id, 0, st->value, st->len,
				     BFLD_CARRAY));
	return put(st, CBadd(p, st->id, st->value, st->len, BFLD_CARRAY));
}

/* All lines that begin with this many tabs. */
static int read_level(struct extread *x, UBFH *p, int depth)
{
	struct statement st;
	char *line;
	int r;

	while ((r = ow_lines_peek(&x->lines, &line)) > 0) {
		size_t tabs = strspn(line, "\t");

		if (line[0] != '\0' && line[0] != '#') {
			if (tabs < (size_t)depth)
				return 0;
			if (tabs > (size_t)depth)
				return syntax(x, "too many tabs before the "
					      "name");
			line += tabs;
		}
		r = parse(x, line, &st);
		/* The text of a taken line stays until the next peek. */
		ow_lines_take(&x->lines);
		if (r > 0)
			r = apply(x, p, &st, depth);
		if (r < 0)
			return -1;
	}
	return r < 0 ? ow_lines_failed(&x->lines, r) : 0;
}

static int read_all(UBFH *p_ub, ow_lines_read *fn, void *arg)
{
	struct extread x = { .lines = { .read = fn, .arg = arg } };
	int r;

	x.pointers = ow_apiflag("ubf_ptrparse");
	r = read_level(&x, p_ub, 0);
	ow_lines_close(&x.lines);
	return r;
}

int Bextread(UBFH *p_ub, FILE *inf)
{
	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (inf == NULL)
		return ow_ubf_fail(BEINVAL, "Bextread: no file");
	return read_all(p_ub, ow_lines_from_file, inf);
}

int Bextreadcb(UBFH *p_ub,
	       long (*p_readf)(char *buffer, long bufsz, void *dataptr1),
	       void *dataptr1)
{
	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (p_readf == NULL)
		return ow_ubf_fail(BEINVAL, "Bextreadcb: no function");
	return read_all(p_ub, p_readf, dataptr1);
}
