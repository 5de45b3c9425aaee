/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statement.c - the lines that Bextread() and Bvextread() read
 */
#include "libubf/io/statement.h"

#include <errno.h>
#include <string.h>

#include "libubf/base/error.h"
#include "libubf/base/escape.h"

int ow_statement_wrong(unsigned int line, const char *why)
{
	return ow_ubf_fail(BSYNTAX, "line %u: %s", line, why);
}

static int read_failed(const struct ow_lines *l, int r)
{
	if (r == -EBADMSG)
		return ow_statement_wrong(l->lineno, "no newline at the end, "
					  "or a NUL byte");
	if (r == -ENOMEM)
		return ow_ubf_fail(BMALLOC, "Bextread: out of memory");
	return ow_ubf_fail(BEUNIX, "Bextread: reading failed");
}

/* Take a line apart in place; 1, or -1 with Berror. */
static int parse(char *text, unsigned int line, struct ow_statement *st)
{
	char *tab;
	long len;

	*st = (struct ow_statement){ .line = line };
	if (strchr("+-=", text[0]) != NULL) {
		if (text[1] != ' ' && text[1] != '\t')
			return ow_statement_wrong(line, "+, - and = need a "
						  "blank after them");
		st->op = text[0];
		text += 2;
	}
	tab = strchr(text, '\t');
	if (tab == NULL)
		return ow_statement_wrong(line, "no tab behind the name");
	st->name = text;
	*tab = '\0';
	st->value = tab + 1;
	len = ow_ubf_unescape(st->value, st->value, strlen(st->value));
	if (len < 0)
		return ow_statement_wrong(line, "a backslash needs another or "
					  "two hex digits");
	st->len = (size_t)len;
	return 1;
}

int ow_statement_next(struct ow_lines *l, int depth,
		      struct ow_statement *ret_st)
{
	size_t tabs;
	char *text;
	int r = 0;

	while (!l->over && (r = ow_lines_peek(l, &text)) > 0) {
		l->over = l->stops && text[0] == '\0';
		if (text[0] == '\0' || text[0] == '#') {
			ow_lines_take(l);
			continue;
		}
		tabs = strspn(text, "\t");
		if (tabs < (size_t)depth)
			return 0;
		if (tabs > (size_t)depth)
			return ow_statement_wrong(l->lineno, "too many tabs "
						  "before the name");
		ow_lines_take(l);
		if (text[tabs] == '\0' || text[tabs] == '#')
			continue;
		return parse(text + tabs, l->lineno, ret_st);
	}
	return r < 0 && !l->over ? read_failed(l, r) : 0;
}
