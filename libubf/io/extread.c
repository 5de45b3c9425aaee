/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extread.c - Bextread, Bextreadcb: fields from the text that Bfprint writes
 *
 * An embedded buffer or view is read into separate memory first, then added as
 * a whole.
 */
#include "libubf/access/enter.h"

#include <stdlib.h>
#include <string.h>

#include "libubf/base/apiflag.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/compatible.h"
#include "libubf/io/view_read.h"
#include "libubf/tables/errtext.h"
#include "libubf/viewdef/registry.h"

struct extread {
	struct ow_lines lines;
	int pointers;	/* ubf_ptrparse: set fields of type ptr */
};

static int read_level(struct extread *x, UBFH *p, int depth);

/* The number in ((BFLDID32)number), ((FLDID32)number) or all of the text. */
static bool is_number(const char *name, int *ret)
{
	static const char *const forms[] = { "((BFLDID32)%d)%n",
					     "((FLDID32)%d)%n", "%d%n" };
	int end;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		end = 0;
		if (sscanf(name, forms[i], ret, &end) == 1 && end > 0 &&
		    name[end] == '\0')
			return true;
	}
	return false;
}

/* NAME, or an id as Bfprint or Fprint writes it. */
static BFLDID parse_id(char *name)
{
	int id;

	if (is_number(name, &id)) {
		if (ow_ubf_id_ok(id))
			return id;
		(void)ow_ubf_fail(BBADNAME, "%d is not the id of a field", id);
		return BBADFLDID;
	}
	return Bfldid(name);
}

/* "= NAME OTHER": the first occurrence of OTHER becomes that of NAME. */
static int copy_field(UBFH *p, BFLDID id, const struct ow_statement *st)
{
	BFLDID other;
	BFLDLEN len;
	char *v;

	if (st->len != strlen(st->value))
		return ow_statement_wrong(st->line, "= needs the name of a "
					  "field as value");
	other = parse_id(st->value);
	if (other == BBADFLDID)
		return ow_ubf_fail_at(st->line);
	v = Bfind(p, other, 0, &len);
	if (v == NULL || CBchg(p, id, 0, v, len, Bfldtype(other)) < 0)
		return ow_ubf_fail_at(st->line);
	return 0;
}

/* Change (+) or add a field, by its text. */
static int put_text(UBFH *p, BFLDID id, const struct ow_statement *st)
{
	BFLDLEN len = (BFLDLEN)st->len;
	int r = st->op == '+' ? CBchg(p, id, 0, st->value, len, BFLD_CARRAY)
			      : CBadd(p, id, st->value, len, BFLD_CARRAY);

	return r < 0 ? ow_ubf_fail_at(st->line) : 0;
}

/* Change (+) or add an embedded buffer or view. */
static int put_embedded(UBFH *p, BFLDID id, const struct ow_statement *st,
			void *value)
{
	int r = st->op == '+' ? Bchg(p, id, 0, value, 0)
			      : Badd(p, id, value, 0);

	return r < 0 ? ow_ubf_fail_at(st->line) : 0;
}

/* Read the lines of an embedded buffer, then add it. */
static int read_embedded(struct extread *x, UBFH *p, BFLDID id,
			 const struct ow_statement *st, int depth)
{
	OW_CLEANUP(ow_cleanup_freep) UBFH *sub = NULL;
	size_t size = p->size; /* pages that are not used are not touched */

	if (st->len > 0)
		return ow_statement_wrong(st->line, "an embedded buffer has "
					  "no value");
	if (depth >= OW_UBF_DEPTH_MAX)
		return ow_statement_wrong(st->line, "buffers are nested too "
					  "deep");
	sub = malloc(size);
	if (sub == NULL)
		return ow_ubf_fail(BMALLOC, "Bextread: %zu bytes", size);
	(void)ow_ubf_init(sub, size);
	if (read_level(x, sub, depth + 1) < 0)
		return -1;
	return put_embedded(p, id, st, sub);
}

/* Read the lines of a view, then add it. */
static int read_view(struct extread *x, UBFH *p, BFLDID id,
		     const struct ow_statement *st, int depth)
{
	OW_CLEANUP(ow_cleanup_freep) char *cs = NULL;
	const struct ow_view *view;
	BVIEWFLD f = { 0 };

	if (st->len >= sizeof(f.vname) || strlen(st->value) != st->len)
		return ow_statement_wrong(st->line, "the value of a view is "
					  "its name");
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
	return put_embedded(p, id, st, &f);
}

static int apply(struct extread *x, UBFH *p, const struct ow_statement *st,
		 int depth)
{
	BFLDID id = parse_id(st->name);

	if (id == BBADFLDID || (st->op == '-' && Bdel(p, id, 0) < 0))
		return ow_ubf_fail_at(st->line);
	if (st->op == '-')
		return 0;
	if (st->op == '=')
		return copy_field(p, id, st);
	switch (ow_ubf_id_type(id)) {
	case BFLD_PTR:
		if (!x->pointers)
			return 0;
		break;
	case BFLD_VIEW:
		return read_view(x, p, id, st, depth);
	case BFLD_UBF:
		return read_embedded(x, p, id, st, depth);
	}
	return put_text(p, id, st);
}

/* Read all lines that begin with `depth` tabs: 0, or -1 with Berror. */
static int read_level(struct extread *x, UBFH *p, int depth)
{
	struct ow_statement st;
	int r;

	while ((r = ow_statement_next(&x->lines, depth, &st)) > 0) {
		if (apply(x, p, &st, depth) < 0)
			return -1;
	}
	return r;
}

static int read_all(UBFH *p_ub, ow_lines_read *fn, void *arg)
{
	struct extread x = { .lines = { .read = fn, .arg = arg } };
	int r;

	/* Of a file: what a callback gives is one text, blank lines and all. */
	if (fn == ow_lines_from_file && ow_compat_tuxedo()) {
		x.lines.stops = true;
		x.lines.read = ow_lines_one_from_file; /* another follows */
	}

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
