/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_print.c - Bvprint, Bvfprint, Bvfprintcb: a structure as text
 *
 * One line per element in use, the null ones as well: reading the lines in
 * order makes the same structure again, if its counts were not higher before.
 * Without a count member, all elements are in use.
 */
#include "libubf/io/view_print.h"

#include "libubf/base/error.h"
#include "libubf/view/enter.h"
#include "libubf/viewdef/mem.h"

static int print_element(struct ow_printer *p, const struct ow_view_col *c,
			 const char *cs, uint32_t occ)
{
	unsigned int type;
	struct ow_ubf_val v = ow_view_value(c, cs, occ, &type);
	size_t n = strlen(c->cname);
	int r;

	if (ow_printer_begin(p) < 0 || ow_printer_reserve(p, n + 1) < 0)
		return -ENOMEM;
	memcpy(p->text + p->len, c->cname, n);
	p->len += n;
	p->text[p->len++] = '\t';
	r = ow_printer_put_value(p, type, v);
	return r < 0 ? r : ow_printer_end(p, BBADFLDID);
}

int ow_printer_view(struct ow_printer *p, const struct ow_view *v,
		    const char *cs)
{
	uint32_t i, k, n;
	int r;

	for (i = 0; i < v->ncols; i++) {
		const struct ow_view_col *c = v->cols + i;

		n = ow_view_used(c, cs);
		for (k = 0; k < n; k++) {
			r = print_element(p, c, cs, k);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

struct structure {
	const struct ow_view *view;
	const char *cs;
};

static int print_structure(struct ow_printer *p, const void *what)
{
	const struct structure *s = what;

	return ow_printer_view(p, s->view, s->cs);
}

static int print(char *cstruct, char *view, struct ow_printer_job *job)
{
	struct structure s = { .cs = cstruct };

	if (ow_view_enter(view, &s.view) < 0)
		return -1;
	if (cstruct == NULL || (job->file == NULL && job->line == NULL))
		return ow_ubf_fail(BEINVAL, "Bvfprint: no structure, or "
				   "nowhere to print to");
	job->level = print_structure;
	job->what = &s;
	return ow_printer_run(job);
}

int Bvfprint(char *cstruct, char *view, FILE *outf)
{
	return print(cstruct, view, &(struct ow_printer_job){ .file = outf });
}

int Bvprint(char *cstruct, char *view)
{
	return Bvfprint(cstruct, view, stdout);
}

int Bvfprintcb(char *cstruct, char *view,
	       int (*p_writef)(char **buffer, long datalen, void *dataptr1,
			       int *do_write, FILE *outf, int fid),
	       void *dataptr1)
{
	return print(cstruct, view, &(struct ow_printer_job){
		.line = p_writef, .arg = dataptr1 });
}
