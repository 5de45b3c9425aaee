/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - write a view as a C structure or as compiled text
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

static void write_flags(FILE *out, const struct ow_view_col *c, int mapped)
{
	static const char letters[] = "FSNCLP";
	uint8_t flags = c->flags;
	int i;

	if (!mapped)
		flags &= (uint8_t)~(OW_VIEW_F | OW_VIEW_S);
	if (flags == 0)
		fputc('-', out);
	for (i = 0; letters[i] != '\0'; i++)
		if (flags & 1u << i)
			fputc(letters[i], out);
}

static void write_column(FILE *out, const struct ow_view_col *c, int mapped)
{
	fprintf(out, "%s\t%s\t%s\t%u\t", ow_ubf_types[c->type].name, c->cname,
		mapped && c->fbname != NULL ? c->fbname : "-", c->count);
	write_flags(out, c, mapped);
	if (c->type == BFLD_STRING || c->type == BFLD_CARRAY)
		fprintf(out, "\t%u", c->size);
	else
		fputs("\t-", out);
	fprintf(out, "\t%s\toffset=%u;fldsize=%u\n", c->null_text, c->offset,
		c->size * c->count);
}

void write_compiled(FILE *out, const struct ow_view *v, int mapped)
{
	uint32_t i;

	fprintf(out, "VIEW %s\n#type\tcname\tfbname\tcount\tflag\tsize\tnull\n",
		v->name);
	for (i = 0; i < v->ncols; i++)
		write_column(out, v->cols + i, mapped);
	fprintf(out, "#@__ssize=%u;@__cksum=%u\nEND\n\n", v->size, v->cksum);
}
