/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cobol.c - write a view as a COPY file of COBOL
 *
 * The record has the layout of the structure, so both languages can use one
 * buffer. In the fixed format: * in column 7 begins a comment, statements begin
 * in column 12.
 */
#include "clients/viewc/cobol.h"

#include <ctype.h>
#include <string.h>

int cobol_name(const char *name, char ret_name[COBOL_NAME_MAX + 1])
{
	size_t i;

	if (strlen(name) > COBOL_NAME_MAX)
		return -1;
	for (i = 0; name[i] != '\0'; i++)
		ret_name[i] = name[i] == '_'
				      ? '-'
				      : (char)toupper((unsigned char)name[i]);
	ret_name[i] = '\0';
	return 0;
}

static const char *picture(unsigned int type)
{
	switch (type) {
	case BFLD_SHORT:
		return "PIC S9(4) USAGE IS COMP-5";
	case BFLD_INT:
		return "PIC S9(9) USAGE IS COMP-5";
	case BFLD_LONG:
		return "PIC S9(18) USAGE IS COMP-5";
	case BFLD_FLOAT:
		return "USAGE IS COMP-1";
	case BFLD_DOUBLE:
		return "USAGE IS COMP-2";
	default:
		return NULL;
	}
}

static void write_item(FILE *out, const char *name, uint32_t count)
{
	fprintf(out, "%11s05 %s", "", name);
	if (count > 1)
		fprintf(out, " OCCURS %u TIMES", count);
}

/* Fill the gap from *end up to where a member begins. */
static void write_gap(FILE *out, uint32_t *end, uint32_t at, uint32_t size)
{
	if (at > *end)
		fprintf(out, "%11s05 FILLER PIC X(%02u).\n", "", at - *end);
	*end = at + size;
}

/* The count or the lengths of a member. */
static int write_short(FILE *out, char kind, const char *cname,
		       const char *pic, uint32_t count)
{
	char text[NDRX_VIEW_CNAME_LEN + 3], name[COBOL_NAME_MAX + 1];

	snprintf(text, sizeof(text), "%c_%s", kind, cname);
	if (cobol_name(text, name) < 0)
		return -1;
	write_item(out, name, count);
	fprintf(out, " PIC %s USAGE IS COMP-5.\n", pic);
	return 0;
}

static int write_member(FILE *out, const struct ow_view_col *c, uint32_t *end)
{
	const uint32_t two = sizeof(short);
	char name[COBOL_NAME_MAX + 1];

	if (cobol_name(c->cname, name) < 0)
		return -1;
	if (c->flags & OW_VIEW_C) {
		write_gap(out, end, c->count_at, two);
		if (write_short(out, 'C', c->cname, "S9(4)", 1) < 0)
			return -1;
	}
	if (c->flags & OW_VIEW_L) {
		write_gap(out, end, c->len_at, two * c->count);
		if (write_short(out, 'L', c->cname, "9(4)", c->count) < 0)
			return -1;
	}
	write_gap(out, end, c->offset, c->size * c->count);
	write_item(out, name, c->count);
	if (picture(c->type) != NULL)
		fprintf(out, " %s.\n", picture(c->type));
	else
		fprintf(out, " PIC X(%02u).\n", c->size);
	return 0;
}

const char *cobol_write(FILE *out, const struct ow_view *v, const char *file)
{
	uint32_t i, end = 0;

	fprintf(out, "      *       VIEWFILE: \"%s\"\n"
		"      *       VIEWNAME: \"%s\"\n", file, v->name);
	for (i = 0; i < v->ncols; i++) {
		if (write_member(out, v->cols + i, &end) < 0)
			return v->cols[i].cname;
	}
	write_gap(out, &end, v->size, 0);
	return NULL;
}
