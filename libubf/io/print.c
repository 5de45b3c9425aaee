/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - Bprint, Bfprint, Bfprintcb: a buffer as text
 *
 * Lines are gathered in memory and leave in large pieces (Bfprint) or one by
 * one (Bfprintcb). The name is looked up once for all occurrences of a field.
 */
#include "libubf/io/printer.h"

#include "libubf/access/enter.h"
#include "libubf/base/compatible.h"
#include "libubf/io/view_print.h"
#include "libubf/viewdef/field.h"

static void field_name(struct ow_printer *p, BFLDID id, char *to)
{
	const char *name = p->names == NULL
				   ? NULL
				   : ow_fldtbl_name_now(&p->names, id);

	if (name == NULL)
		snprintf(to, OW_PRINTER_NAME_MAX,
			 ow_compat_tuxedo() ? "%d" : "((BFLDID32)%d)", id);
	else
		strcpy(to, name);
}

static int print_level(struct ow_printer *p, const struct Ubfh *h);

/* Copy whole words: names are short, and both sides have room behind them. */
static inline void put_name(char *to, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < n; i += 8)
		memcpy(to + i, name + i, 8);
}

/* Print the name of the view behind that of the field, then its members. */
static int print_view(struct ow_printer *p, BFLDID id, struct ow_ubf_val v)
{
	const struct ow_view *view;
	BVIEWFLD f;
	int r;

	if (ow_ubf_view_open(v, &f, &view) < 0)
		return -ENXIO;
	/* The name of an unknown view may have any bytes. */
	if (ow_printer_reserve(p, 4 * strlen(f.vname) + 2) < 0)
		return -ENOMEM;
	ow_printer_escape(p, f.vname, strlen(f.vname));
	r = ow_printer_end(p, id);
	if (r < 0 || view == NULL)
		return r;
	p->depth++;
	r = ow_printer_view(p, view, f.data);
	p->depth--;
	return r;
}

/* Print one entry; `name` has n bytes in a buffer of OW_PRINTER_NAME_MAX. */
static int print_entry(struct ow_printer *p, BFLDID id, struct ow_ubf_val v,
		       const char *name, size_t n)
{
	unsigned int type = ow_ubf_id_type(id);
	int r;

	if (ow_printer_begin(p) < 0)
		return -ENOMEM;
	put_name(p->text + p->len, name, n);
	p->len += n;
	p->text[p->len++] = '\t';
	if (type == BFLD_VIEW)
		return print_view(p, id, v);
	r = ow_printer_put_value(p, type, v);
	if (r == 0)
		r = ow_printer_end(p, id);
	if (r < 0 || type != BFLD_UBF)
		return r;
	p->depth++;
	r = print_level(p, v.data);
	p->depth--;
	return r;
}

static int print_level(struct ow_printer *p, const struct Ubfh *h)
{
	uint32_t i, count = ow_ubf_count(h);
	BFLDID id, before = BBADFLDID;
	char name[OW_PRINTER_NAME_MAX] = "";
	size_t n = 0;
	int r;

	for (i = 0; i < count; i++, before = id) {
		id = ow_ubf_id_at(h, i);
		if (id != before) {
			field_name(p, id, name);
			n = strlen(name);
		}
		r = print_entry(p, id,
				ow_ubf_val_at(h, ow_ubf_id_type(id), i), name,
				n);
		if (r < 0)
			return r;
	}
	return 0;
}

static int print_buffer(struct ow_printer *p, const void *what)
{
	return print_level(p, what);
}

/* strict-tuxedo: an empty line ends the text. */
static int print_in_file(struct ow_printer *p, const void *what)
{
	int r = print_level(p, what);

	return r == 0 && ow_compat_tuxedo() ? ow_printer_end(p, BBADFLDID) : r;
}

int Bfprint(UBFH *p_ub, FILE *outf)
{
	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (outf == NULL)
		return ow_ubf_fail(BEINVAL, "Bfprint: no file");
	return ow_printer_run(&(struct ow_printer_job){
		.file = outf, .level = print_in_file, .what = p_ub });
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
	return ow_printer_run(&(struct ow_printer_job){
		.line = p_writef, .arg = dataptr1, .level = print_buffer,
		.what = p_ub });
}
