/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fldtbl_read.c - read a field table file, item by item
 */
#include "libubf/fldtbl_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libubf/type.h"

#define BLANKS " \t\r\n"

int ow_fldtbl_open(struct ow_fldtbl_reader *r, const char *path)
{
	memset(r, 0, sizeof(*r));
	r->path = path;
	r->file = fopen(path, "re");
	return r->file == NULL ? -errno : 0;
}

void ow_fldtbl_close(struct ow_fldtbl_reader *r)
{
	fclose(r->file);
	free(r->line);
	r->file = NULL;
	r->line = NULL;
}

static int __attribute__((format(printf, 2, 3)))
wrong(struct ow_fldtbl_reader *r, const char *fmt, ...)
{
	size_t room = sizeof(r->error), n;
	va_list ap;

	snprintf(r->error, room, "%s:%u: ", r->path, r->lineno);
	n = strlen(r->error);
	va_start(ap, fmt);
	vsnprintf(r->error + n, room - n, fmt, ap);
	va_end(ap);
	return -EBADMSG;
}

static int parse_number(const char *s, long *ret)
{
	char *end;

	if (s == NULL || !isdigit((unsigned char)*s))
		return -EBADMSG;
	errno = 0;
	*ret = strtol(s, &end, 10);
	return *end != '\0' || errno != 0 ? -EBADMSG : 0;
}

static int parse_base(struct ow_fldtbl_reader *r, char *save)
{
	char *word = strtok_r(NULL, BLANKS, &save);
	long n;

	if (parse_number(word, &n) < 0 || n > OW_UBF_NUMBER_MAX)
		return wrong(r, "*base wants a number from 0 to %d, not '%s'",
			     OW_UBF_NUMBER_MAX, word == NULL ? "" : word);
	r->base = n;
	return 0;
}

/* Fields become C names in headers and names in expressions. */
static int check_name(struct ow_fldtbl_reader *r, const char *name)
{
	const char *p;

	if (strlen(name) > UBFFLDMAX)
		return wrong(r, "name '%.70s...' is longer than %d bytes",
			     name, UBFFLDMAX);
	for (p = name; *p != '\0'; p++) {
		if (!isalpha((unsigned char)*p) && *p != '_' &&
		    (p == name || !isdigit((unsigned char)*p)))
			return wrong(r, "'%s' is not a name: letters, digits "
				     "and _ only, no digit first", name);
	}
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
	if (parse_number(number, &n) < 0)
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

/* 1 an item, 0 nothing on this line, or an error. */
static int parse_line(struct ow_fldtbl_reader *r, struct ow_fldtbl_item *item)
{
	char *save = NULL, *word;

	if (r->line[0] == '$') {
		item->text = r->line + 1;
		return 1;
	}
	word = strtok_r(r->line, BLANKS, &save);
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
	ssize_t n;
	int res;

	while ((n = getline(&r->line, &r->cap, r->file)) >= 0) {
		r->lineno++;
		if (memchr(r->line, '\0', (size_t)n) != NULL)
			return wrong(r, "a NUL byte: not a text file?");
		while (n > 0 && (r->line[n - 1] == '\n' ||
				 r->line[n - 1] == '\r'))
			r->line[--n] = '\0';
		res = parse_line(r, &item);
		if (res > 0)
			*ret_item = item;
		if (res != 0)
			return res;
	}
	if (ferror(r->file)) {
		wrong(r, "cannot be read: %s", strerror(errno));
		return -EIO;
	}
	return 0;
}

int ow_fldtbl_locate(const char *dirs, const char *table, char **ret_path)
{
	const char *dir = dirs, *end;
	char *path;

	for (; dir != NULL; dir = *end == ':' ? end + 1 : NULL) {
		end = strchrnul(dir, ':');
		if (end == dir)
			continue;
		if (asprintf(&path, "%.*s/%s", (int)(end - dir), dir,
			     table) < 0)
			return -ENOMEM;
		if (access(path, F_OK) == 0) {
			*ret_path = path;
			return 0;
		}
		free(path);
	}
	return -ENOENT;
}
