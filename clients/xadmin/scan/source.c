/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - find names of the interface in a source in C or C++
 */
#include "clients/xadmin/scan/scan.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 64

const struct ow_scan_name ow_scan_names[] = {
#define OW_SCAN_NAME(name, absent, words, text) { name, absent, words, text },
#include "clients/xadmin/scan/names.inc"
#undef OW_SCAN_NAME
};

const size_t ow_scan_names_count =
    sizeof(ow_scan_names) / sizeof(ow_scan_names[0]);

struct reader {
	const char *p;
	unsigned int line;
};

static int compare(const void *key, const void *row)
{
	return strcmp(key, ((const struct ow_scan_name *)row)->name);
}

static const struct ow_scan_name *find(const char *name)
{
	return bsearch(name, ow_scan_names, ow_scan_names_count,
		       sizeof(ow_scan_names[0]), compare);
}

/* Has the statement that goes on at `at` one of the words? */
static bool has_word(const char *at, const char *words)
{
	size_t len = strcspn(at, ";{}"), n;

	if (*words == '\0')
		return true;
	for (; *words != '\0'; words += n + strspn(words + n, " ")) {
		n = strcspn(words, " ");
		if (memmem(at, len, words, n) != NULL)
			return true;
	}
	return false;
}

static void next(struct reader *r)
{
	r->line += *r->p == '\n';
	r->p++;
}

/* Behind a text in quotes that begins at r->p. A quote that is not closed ends with
 * its line. */
static void skip_quoted(struct reader *r)
{
	char quote = *r->p;

	for (next(r); *r->p != '\0' && *r->p != quote; next(r)) {
		if (*r->p == '\n')
			return;
		if (r->p[0] == '\\' && r->p[1] != '\0')
			next(r);
	}
	if (*r->p != '\0')
		next(r);
}

/* Behind a comment, if one begins at r->p. */
static bool skip_comment(struct reader *r)
{
	bool block = strncmp(r->p, "/*", 2) == 0;

	if (!block && strncmp(r->p, "//", 2) != 0)
		return false;
	if (!block) {
		r->p += strcspn(r->p, "\n");
		return true;
	}
	for (r->p += 2; *r->p != '\0' && strncmp(r->p, "*/", 2) != 0;)
		next(r);
	if (*r->p != '\0')
		r->p += 2;
	return true;
}

static size_t word_length(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* The header of an #include that begins at r->p, if one does: r->p is behind it
 * then. */
static bool take_header(struct reader *r, char name[NAME_LEN])
{
	const char *at = r->p + 1;
	size_t n;

	at += strspn(at, " \t");
	if (*r->p != '#' || strncmp(at, "include", 7) != 0)
		return false;
	at += 7;
	at += strspn(at, " \t");
	n = strcspn(at + (*at != '\0'), ">\"\n");
	if ((*at != '<' && *at != '"') || n >= NAME_LEN)
		return false;
	snprintf(name, NAME_LEN, "%.*s", (int)n, at + 1);
	r->p = at + 1 + n + (at[1 + n] == '>' || at[1 + n] == '"');
	return true;
}

void ow_scan_source(const char *text, ow_scan_place_fn *fn, void *arg)
{
	struct reader r = { .p = text, .line = 1 };
	const struct ow_scan_name *row;
	char name[NAME_LEN];
	size_t n;

	while (*r.p != '\0') {
		if (take_header(&r, name)) {
			row = find(name);
			if (row != NULL)
				fn((size_t)(row - ow_scan_names), r.line, arg);
			continue;
		}
		if (*r.p == '"' || *r.p == '\'') {
			skip_quoted(&r);
			continue;
		}
		if (skip_comment(&r))
			continue;
		n = word_length(r.p);
		if (n == 0) {
			next(&r);
			continue;
		}
		if (n < sizeof(name)) {
			memcpy(name, r.p, n);
			name[n] = '\0';
			row = find(name);
			if (row != NULL && has_word(r.p + n, row->words))
				fn((size_t)(row - ow_scan_names), r.line, arg);
		}
		r.p += n;
	}
}
