/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_read.c - Bvextread, Bvextreadcb: a structure from text
 */
#include "libubf/io/view_read.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/base/error.h"
#include "libubf/viewdef/mem.h"

struct reading {
	const struct ow_view *view;
	char *cs;
	uint32_t *seen;	/* lines read so far, by column */
};

static struct ow_view_col *column(const struct reading *x, unsigned int line,
				  const char *cname)
{
	struct ow_view_col *c = ow_view_column(x->view, cname);

	if (c == NULL)
		ow_ubf_fail(BNOCNAME, "line %u: view %s has no member '%.60s'",
			    line, x->view->name, cname);
	return c;
}

static int store(const struct reading *x, unsigned int line,
		 const struct ow_view_col *c, uint32_t occ, unsigned int type,
		 struct ow_ubf_val v)
{
	int r;

	if (occ >= c->count)
		return ow_ubf_fail(BEINVAL, "line %u: %s has only %u "
				   "occurrences", line, c->cname,
				   c->count);
	r = ow_view_store(c, x->cs, occ, type, v);
	if (r == -ENOSPC)
		return ow_ubf_fail(BNOSPACE, "line %u: %s has %u bytes",
				   line, c->cname, c->size);
	if (r < 0)
		return ow_ubf_fail_errno(r, c->cname);
	if (occ >= ow_view_used(c, x->cs))
		ow_view_set_used(c, x->cs, occ + 1);
	return 0;
}

/* "= NAME OTHER": the first element of OTHER becomes that of NAME. */
static int copy_member(const struct reading *x, const struct ow_view_col *c,
		       const struct ow_statement *st)
{
	const struct ow_view_col *other = column(x, st->line, st->value);
	struct ow_ubf_val v;
	unsigned int type;

	if (other == NULL)
		return -1;
	if (ow_view_used(other, x->cs) == 0)
		return ow_ubf_fail(BNOTPRES, "line %u: %s has no element",
				   st->line, other->cname);
	v = ow_view_value(other, x->cs, 0, &type);
	return store(x, st->line, c, 0, type, v);
}

static int apply(const struct reading *x, const struct ow_statement *st)
{
	struct ow_view_col *c = column(x, st->line, st->name);
	struct ow_ubf_val v = { st->value, st->len };
	uint32_t occ = 0;

	if (c == NULL)
		return -1;
	if (st->op == '=')
		return copy_member(x, c, st);
	if (st->op == '-') {
		ow_view_store_null(c, x->cs, 0);
		return 0;
	}
	if (st->op != '+')
		occ = x->seen[c - x->view->cols]++;
	return store(x, st->line, c, occ, BFLD_CARRAY, v);
}

int ow_view_read_lines(struct ow_lines *l, int depth,
		       const struct ow_view *view, char *cs)
{
	OW_CLEANUP(ow_cleanup_freep) uint32_t *seen = NULL;
	struct reading x = { view, cs, NULL };
	struct ow_statement st;
	int r;

	x.seen = seen = calloc(view->ncols, sizeof(*seen));
	if (seen == NULL)
		return ow_ubf_fail(BMALLOC, "Bvextread: out of memory");
	while ((r = ow_statement_next(l, depth, &st)) > 0) {
		if (apply(&x, &st) < 0)
			return -1;
	}
	return r;
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
