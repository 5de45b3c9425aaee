/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - write a view as a C structure, as compiled text or as its source
 */
#include "clients/viewc/write.h"

#include "libubf/base/type.h"

static const char *c_type(unsigned int type)
{
	return type == BFLD_STRING || type == BFLD_CARRAY
		       ? "char"
		       : ow_ubf_types[type].name;
}

static void write_member(FILE *out, const struct ow_view_col *c)
{
	if (c->flags & OW_VIEW_C)
		fprintf(out, "\tshort C_%s;\t/* elements in use */\n",
			c->cname);
	if (c->flags & OW_VIEW_L && c->count > 1)
		fprintf(out, "\tunsigned short L_%s[%u];\t/* lengths */\n",
			c->cname, c->count);
	else if (c->flags & OW_VIEW_L)
		fprintf(out, "\tunsigned short L_%s;\t/* length */\n",
			c->cname);
	fprintf(out, "\t%s %s", c_type(c->type), c->cname);
	if (c->count > 1)
		fprintf(out, "[%u]", c->count);
	if (c->type == BFLD_STRING || c->type == BFLD_CARRAY)
		fprintf(out, "[%u]", c->size);
	fputs(";\n", out);
}

void write_struct(FILE *out, const struct ow_view *v)
{
	uint32_t i;

	fprintf(out, "struct %s {\n", v->name);
	for (i = 0; i < v->ncols; i++)
		write_member(out, v->cols + i);
	fputs("};\n\n", out);
}

static void write_flags(FILE *out, uint8_t flags)
{
	static const char letters[] = "FSNCLP";
	int i;

	if (flags == 0)
		fputc('-', out);
	for (i = 0; letters[i] != '\0'; i++)
		if (flags & 1u << i)
			fputc(letters[i], out);
}

/* The columns of a view file, without the end of the line. */
static void write_column(FILE *out, const struct ow_view_col *c)
{
	fprintf(out, "%s\t%s\t%s\t%u\t", ow_ubf_types[c->type].name, c->cname,
		c->fbname != NULL ? c->fbname : "-", c->count);
	write_flags(out, c->flags);
	if (c->type == BFLD_STRING || c->type == BFLD_CARRAY)
		fprintf(out, "\t%u", c->size);
	else
		fputs("\t-", out);
	fprintf(out, "\t%s\t", c->null_text);
}

static void write_begin(FILE *out, const struct ow_view *v)
{
	fprintf(out, "VIEW %s\n#type\tcname\tfbname\tcount\tflag\tsize\tnull\n",
		v->name);
}

void write_compiled(FILE *out, const struct ow_view *v)
{
	uint32_t i;

	write_begin(out, v);
	for (i = 0; i < v->ncols; i++) {
		const struct ow_view_col *c = v->cols + i;

		write_column(out, c);
		fprintf(out, "offset=%u;fldsize=%u\n", c->offset,
			c->size * c->count);
	}
	fprintf(out, "#@__ssize=%u;@__cksum=%u\nEND\n\n", v->size, v->cksum);
}

void write_source(FILE *out, const struct ow_view *v)
{
	uint32_t i;

	write_begin(out, v);
	for (i = 0; i < v->ncols; i++) {
		write_column(out, v->cols + i);
		fprintf(out, "# offset %u\n", v->cols[i].offset);
	}
	fprintf(out, "# size %u\nEND\n\n", v->size);
}
