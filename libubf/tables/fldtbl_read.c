/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtbl_read.c - read a field table file, item by item
 */
#include "libubf/tables/fldtbl_read.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "libubf/base/type.h"

#define BLANKS OW_TABFILE_BLANKS
/* Set the message "file:line: ..."; returns -EBADMSG. */
#define wrong(r, ...) ow_tabfile_wrong(&(r)->in, __VA_ARGS__)

int ow_fldtbl_open(struct ow_fldtbl_reader *r, const char *path)
{
	memset(r, 0, sizeof(*r));
	return ow_tabfile_open(&r->in, path);
}

void ow_fldtbl_close(struct ow_fldtbl_reader *r)
{
	ow_tabfile_close(&r->in);
}

static int parse_base(struct ow_fldtbl_reader *r, char *save)
{
	char *word = strtok_r(NULL, BLANKS, &save);
	long n;

	if (ow_tabfile_number(word, 0, OW_UBF_NUMBER_MAX, &n) < 0)
		return wrong(r, "*base needs a number from 0 to %d, not '%s'",
			     OW_UBF_NUMBER_MAX, word == NULL ? "" : word);
	r->base = n;
	return 0;
}

/* Names of fields are used as C names in headers and in expressions. */
static int check_name(struct ow_fldtbl_reader *r, const char *name)
{
	if (strlen(name) > UBFFLDMAX)
		return wrong(r, "name '%.70s...' is longer than %d bytes",
			     name, UBFFLDMAX);
	if (!ow_tabfile_is_name(name, UBFFLDMAX))
		return wrong(r, "'%s' is not a name: letters, digits and _ "
			     "only, no digit first", name);
	return 0;
}

static int parse_field(struct ow_fldtbl_reader *r, char *name, char *save,
		       struct ow_fldtbl_item *item)
{
	char *number = strtok_r(NULL, BLANKS, &save);
	char *type = strtok_r(NULL, BLANKS, &save);
	long n;

	if (check_name(r, name) < 0)
		return -EBADMSG;
	if (number == NULL || type == NULL)
		return wrong(r, "a field wants: name number type");
	if (ow_tabfile_number(number, 0, LONG_MAX, &n) < 0)
		return wrong(r, "'%s' is not a number", number);
	if (n > OW_UBF_NUMBER_MAX || n + r->base < 1 ||
	    n + r->base > OW_UBF_NUMBER_MAX)
		return wrong(r, "field number %s + base %ld is not in 1..%d",
			     number, r->base, OW_UBF_NUMBER_MAX);
	item->type = ow_ubf_type_by_name(type);
	if (item->type < 0)
		return wrong(r, "'%s' is not a field type", type);
	item->text = NULL;
	item->name = name;
	item->number = (int)(n + r->base);
	item->id = item->type << OW_UBF_TYPE_SHIFT | item->number;
	return 1;
}

/* 1 an item, 0 the line has none, or -errno. */
static int parse_line(struct ow_fldtbl_reader *r, struct ow_fldtbl_item *item)
{
	char *save = NULL, *word;

	if (r->in.line[0] == '$') {
		item->text = r->in.line + 1;
		return 1;
	}
	word = strtok_r(r->in.line, BLANKS, &save);
	if (word == NULL || word[0] == '#')
		return 0;
	if (strcmp(word, "*base") == 0)
		return parse_base(r, save);
	if (word[0] == '*')
		return wrong(r, "'%s' is not known; did you mean *base?",
			     word);
	return parse_field(r, word, save, item);
}

int ow_fldtbl_next(struct ow_fldtbl_reader *r,
		   struct ow_fldtbl_item *ret_item)
{
	struct ow_fldtbl_item item = { 0 };
	size_t n;
	int res;

	while ((res = ow_tabfile_next(&r->in)) > 0) {
		n = strlen(r->in.line);
		while (n > 0 && (r->in.line[n - 1] == '\n' ||
				 r->in.line[n - 1] == '\r'))
			r->in.line[--n] = '\0';
		res = parse_line(r, &item);
		if (res > 0)
			*ret_item = item;
		if (res != 0)
			break;
	}
	return res;
}
