/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ubb.c - read a UBBCONFIG file
 */
#include "clients/xadmin/import/ubb.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "libubf/base/upper.h"

struct reader {
	struct ow_ubb *ubb;
	const char *p;
	unsigned int line;
	const char *section;
	struct ow_ubb_entry **tail;
	struct ow_ubb_entry *entry;    /* being read */
	struct ow_ubb_entry *defaults; /* of the section so far */
	struct ow_ubb_param **params;  /* where the next one goes */
	char *why;
};

__attribute__((format(printf, 2, 3))) static int
fail(struct reader *r, const char *fmt, ...)
{
	int n = snprintf(r->why, OW_UBB_WHY, "%u: ", r->line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->why + n, OW_UBB_WHY - (size_t)n, fmt, ap);
	va_end(ap);
	return 1;
}

/* Skip blanks, comments and line ends; with `stay` stop before a line end. */
static void skip(struct reader *r, bool stay)
{
	for (;;) {
		r->p += strspn(r->p, " \t\r\\");
		if (*r->p == '#')
			r->p += strcspn(r->p, "\n");
		if (*r->p != '\n' || stay)
			return;
		r->p++;
		r->line++;
	}
}

static char *copy(struct reader *r, const char *from, size_t len, bool upper)
{
	char *s = ow_arena_strndup(&r->ubb->arena, from, len);
	char *p;

	for (p = s; upper && p != NULL && *p != '\0'; p++)
		*p = ow_upper(*p);
	return s;
}

/* Is `p` a backslash that makes the next character plain? */
static bool escapes(const char *p)
{
	return p[0] == '\\' && (p[1] == '"' || p[1] == '\\');
}

/* The quote that ends the text at `from`; NULL: none. A text of several lines whose
 * quote is missing seems to end at the first one of the next text: behind =, or
 * before a word. A line that begins a section ends it, too. */
static const char *closing(const char *from)
{
	const char *p = from, *back;
	bool lines = false;

	for (; *p != '"' && *p != '\0'; p += escapes(p) ? 2 : 1) {
		if (*p != '\n')
			continue;
		lines = true;
		if (p[1] == '*' && isalpha((unsigned char)p[2]))
			return NULL;
	}
	if (*p == '\0' || !lines)
		return *p == '\0' ? NULL : p;
	for (back = p - 1; back > from && strchr(" \t", *back) != NULL; back--)
		;
	return *back == '=' || strchr(" \t\r\n#", p[1]) == NULL ? NULL : p;
}

/* How many characters of a text make the end of a line and what the next one is
 * set in by; 0: there is none. *ret_gap: it separates words. */
static size_t line_end(const char *p, bool *ret_gap)
{
	size_t n = *p == '\\' ? 1 : 0;

	n += p[n] == '\r';
	if (p[n] != '\n')
		return 0;
	*ret_gap = *p != '\\';
	return n + 1 + strspn(p + n + 1, " \t");
}

/* Read a text in double quotes at r->p; \" stands for a quote in it, \\ for a
 * backslash, any other backslash for itself. The end of a line is a blank, with a
 * backslash before it nothing. 0, 1, -ENOMEM. */
static int take_quoted(struct reader *r, const char **ret)
{
	const char *p = r->p + 1, *end = closing(p);
	bool gap = false;
	size_t n = 0, lines;
	char *s;

	if (end == NULL)
		return fail(r, "a quote is not closed");
	s = copy(r, p, (size_t)(end - p), false);
	if (s == NULL)
		return -ENOMEM;
	while (p < end) {
		lines = escapes(p) ? 0 : line_end(p, &gap);
		if (lines > 0) {
			r->line++;
			if (gap)
				s[n++] = ' ';
			p += lines;
			continue;
		}
		p += escapes(p);
		s[n++] = *p++;
	}
	s[n] = '\0';
	r->p = end + 1;
	*ret = s;
	return 0;
}

/* Read a word or a quoted text at r->p. 0, 1, -ENOMEM. */
static int take(struct reader *r, bool upper, const char **ret)
{
	const char *from = r->p;
	size_t len;

	if (*from == '"')
		return take_quoted(r, ret);
	len = strcspn(from, " \t\r\n=#\"");
	if (len == 0)
		return fail(r, *from == '=' ? "= without a keyword"
					    : "give a word");
	r->p = from + len;
	*ret = copy(r, from, len, upper);
	return *ret == NULL ? -ENOMEM : 0;
}

static int begin_entry(struct reader *r, const char *name)
{
	struct ow_ubb_entry *e = ow_arena_alloc(&r->ubb->arena, sizeof(*e));

	if (e == NULL)
		return -ENOMEM;
	e->section = r->section;
	e->name = name;
	e->line = r->line;
	r->params = &e->params;
	r->entry = e;
	if (strcmp(name, "DEFAULT:") == 0) {
		r->defaults = e;
		return 0;
	}
	e->defaults = r->defaults;
	*r->tail = e;
	r->tail = &e->next;
	return 0;
}

static int add_param(struct reader *r, const char *key, const char *value)
{
	struct ow_ubb_param *p = ow_arena_alloc(&r->ubb->arena, sizeof(*p));

	if (p == NULL)
		return -ENOMEM;
	p->key = key;
	p->value = value;
	p->line = r->line;
	*r->params = p;
	r->params = &p->next;
	return 0;
}

/* The section for which a letter is missing, or one too many; NULL. What stands there
 * would be lost without a word. */
static const char *meant(const char *name)
{
	static const char *const known[] = {
		"RESOURCES", "MACHINES", "GROUPS", "SERVERS", "SERVICES",
		"ROUTING", "NETWORK", "NETGROUPS", "INTERFACES",
	};
	size_t i, n = strlen(name);

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i], name) == 0)
			return NULL;
		if (strlen(known[i]) == n + 1 &&
		    strncmp(known[i], name, n) == 0)
			return known[i];
		if (strlen(known[i]) + 1 == n &&
		    strncmp(known[i], name, n - 1) == 0)
			return known[i];
	}
	return NULL;
}

/* *SECTION */
static int take_section(struct reader *r)
{
	int res;

	r->p++;
	if (strchr(" \t\r\n", *r->p) != NULL)
		return fail(r, "the name of a section follows *, as in "
			       "*RESOURCES");
	res = take(r, true, &r->section);
	r->entry = NULL;
	r->defaults = NULL;
	if (res == 0 && meant(r->section) != NULL)
		return fail(r, "*%s: not a section: *%s", r->section,
			    meant(r->section));
	if (res == 0 && (strcmp(r->section, "RESOURCES") == 0 ||
			 strcmp(r->section, "DM_RESOURCES") == 0))
		res = begin_entry(r, "");
	return res;
}

/* KEYWORD VALUE, the value up to the end of the line. */
static int take_resource(struct reader *r)
{
	const char *key = NULL, *value = "";
	size_t len;
	int res = take(r, true, &key);

	if (res != 0)
		return res;
	skip(r, true);
	if (*r->p == '"') {
		res = take(r, false, &value);
	} else {
		len = strcspn(r->p, "#\r\n");
		while (len > 0 && isspace((unsigned char)r->p[len - 1]))
			len--;
		value = copy(r, r->p, len, false);
		r->p += len;
		res = value == NULL ? -ENOMEM : 0;
	}
	return res != 0 ? res : add_param(r, key, value);
}

/* Does a value begin here, and not the next keyword, or nothing? */
static bool has_value(const char *p)
{
	size_t n = *p == '"' ? 0 : strcspn(p, " \t\r\n=#\"");

	return *p == '"' || (n > 0 && p[n] != '=' && *p != '*');
}

/* KEYWORD=VALUE, or the name of the next entry. */
static int take_item(struct reader *r)
{
	bool quoted = *r->p == '"';
	const char *from = r->p, *word = NULL, *value = NULL;
	unsigned int line = r->line;
	int res = take(r, false, &word);

	if (res != 0)
		return res;
	if (!quoted)
		skip(r, false);
	if (quoted || *r->p != '=') {
		r->line = line; /* skip() may have passed blank lines */
		r->p = from;
		res = take(r, false, &word);
		return res != 0 ? res : begin_entry(r, word);
	}
	if (r->entry == NULL)
		return fail(r, "KEYWORD=VALUE before the name of an entry");
	r->p++;
	skip(r, false);
	word = copy(r, word, strlen(word), true);
	if (word == NULL)
		return -ENOMEM;
	if (!has_value(r->p)) {
		r->line = line;
		return fail(r, "%s= has no value", word);
	}
	res = take(r, false, &value);
	return res != 0 ? res : add_param(r, word, value);
}

int ow_ubb_read(const char *text, struct ow_ubb *ret_ubb,
		char why[OW_UBB_WHY])
{
	struct reader r = { .ubb = ret_ubb, .p = text, .line = 1, .why = why };
	int res = 0;

	memset(ret_ubb, 0, sizeof(*ret_ubb));
	r.tail = &ret_ubb->entries;
	for (skip(&r, false); res == 0 && *r.p != '\0'; skip(&r, false)) {
		if (*r.p == '*')
			res = take_section(&r);
		else if (r.section == NULL)
			res = fail(&r, "give a section first, such as "
				       "*RESOURCES: is this a UBBCONFIG?");
		else if (strcmp(r.section, "RESOURCES") == 0)
			res = take_resource(&r);
		else
			res = take_item(&r);
	}
	if (res == 0 && r.section == NULL)
		res = fail(&r, "the file is empty");
	return res;
}

void ow_ubb_free(struct ow_ubb *ubb)
{
	ow_arena_free(&ubb->arena);
}

const char *ow_ubb_value(struct ow_ubb_entry *e, const char *key)
{
	struct ow_ubb_entry *from;
	struct ow_ubb_param *p;

	for (from = e; from != NULL; from = from->defaults)
		for (p = from->params; p != NULL; p = p->next)
			if (strcmp(p->key, key) == 0) {
				p->used = true;
				return p->value;
			}
	return NULL;
}
