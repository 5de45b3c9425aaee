/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - xadmin scan: list what behaves differently here
 *
 * Names of sources are collected, and told name by name with their places: what is
 * not here first, for such a program does not compile. Configurations are told file
 * by file. Exit status 0: the folder was read, whatever it has; 1: it was not.
 */
#include "clients/xadmin/scan/scan.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/command/command.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/printable.h"

#define FILE_MAX_LEN ((size_t)8 * 1024 * 1024)
#define SHOWN	     5 /* places of a name without -a */

struct place {
	char *path;
	unsigned int line;
	struct place *next;
};

struct places {
	struct place *first, **last;
	size_t n;
};

struct scan {
	struct ow_args *a;
	const char *path; /* being read */
	struct places *names; /* by the index in ow_scan_names */
	size_t sources, configurations, told;
	bool failed; /* no memory */
};

static bool is_source(const char *path)
{
	static const char *const ends[] = { ".c",   ".h",   ".cc",  ".cpp",
					    ".cxx", ".hpp", ".hxx", ".pc",
					    ".ec" };
	const char *dot = strrchr(path, '.');
	size_t i;

	for (i = 0; dot != NULL && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcmp(dot, ends[i]) == 0)
			return true;
	return false;
}

static char *read_text(const char *path)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = fopen(path, "re");
	char *text;
	size_t n;

	if (f == NULL)
		return NULL;
	text = malloc(FILE_MAX_LEN + 1);
	n = text != NULL ? fread(text, 1, FILE_MAX_LEN, f) : 0;
	if (text == NULL || memchr(text, '\0', n) != NULL) {
		free(text);
		return NULL; /* not a text */
	}
	text[n] = '\0';
	return text;
}

/* One place for each line of a file. */
static void add_place(size_t name, unsigned int line, void *arg)
{
	struct scan *s = arg;
	struct places *all = &s->names[name];
	struct place *p;

	if (all->n > 0) {
		p = (struct place *)(void *)((char *)all->last -
					     offsetof(struct place, next));
		if (p->line == line && strcmp(p->path, s->path) == 0)
			return;
	}
	p = calloc(1, sizeof(*p));
	if (p != NULL)
		p->path = strdup(s->path);
	if (p == NULL || p->path == NULL) {
		free(p);
		s->failed = true;
		return;
	}
	p->line = line;
	if (all->n == 0)
		all->last = &all->first;
	*all->last = p;
	all->last = &p->next;
	all->n++;
}

static void scan_file(struct scan *s, const char *path)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = read_text(path);

	if (text == NULL)
		return;
	s->path = path;
	if (is_source(path)) {
		s->sources++;
		ow_scan_source(text, add_place, s);
	} else if (ow_scan_is_xml(text)) {
		s->configurations++;
		s->told += ow_scan_xml(path, text);
	} else if (ow_scan_is_ubbconfig(text)) {
		s->configurations++;
		s->told += ow_scan_ubbconfig(s->a, path);
	} else if (ow_scan_is_dmconfig(text)) {
		s->configurations++;
		s->told += ow_scan_dmconfig(path, text);
	}
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* All files below, but what begins with a dot. 0, or the errno of the path. */
static int walk(struct scan *s, const char *path)
{
	char *paths[] = { (char *)path, NULL };
	FTS *f = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	FTSENT *e;
	int r = 0;

	if (f == NULL)
		return errno;
	while ((e = fts_read(f)) != NULL) {
		if (e->fts_level > 0 && e->fts_name[0] == '.')
			fts_set(f, e, FTS_SKIP);
		else if (e->fts_info == FTS_F)
			scan_file(s, e->fts_path);
		else if (e->fts_level == 0 && e->fts_info == FTS_NS)
			r = e->fts_errno;
	}
	fts_close(f);
	return r;
}

/* A name, what differs, and its places. */
static void tell_name(const struct scan *s, size_t i)
{
	const struct places *all = &s->names[i];
	const struct place *p = all->first;
	size_t n;

	ow_print(stdout, "%s: %s\n", ow_scan_names[i].name,
		 ow_scan_names[i].text);
	for (n = 0; p != NULL && (n < SHOWN || ow_args_has(s->a, 'a')); n++) {
		ow_print(stdout, "\t%s:%u\n", p->path, p->line);
		p = p->next;
	}
	if (p != NULL)
		printf("\tand %zu more lines (-a)\n", all->n - n);
}

static void tell_names(struct scan *s, bool absent, const char *head)
{
	size_t i, n = 0;

	for (i = 0; i < ow_scan_names_count; i++) {
		if (s->names[i].n == 0 || ow_scan_names[i].absent != absent)
			continue;
		if (n++ == 0)
			printf("%s\n", head);
		tell_name(s, i);
	}
	s->told += n;
}

static void free_places(struct scan *s)
{
	struct place *p, *next;
	size_t i;

	for (i = 0; s->names != NULL && i < ow_scan_names_count; i++)
		for (p = s->names[i].first; p != NULL; p = next) {
			next = p->next;
			free(p->path);
			free(p);
		}
	free(s->names);
}

int ow_scan_run(struct ow_args *a)
{
	struct scan s = { .a = a };
	int i, r = 0;

	if (a->n_rest == 0)
		return ow_cmd_misused(a, "give a folder, or files");
	s.names = calloc(ow_scan_names_count, sizeof(*s.names));
	if (s.names == NULL)
		return ow_cmd_fail(a, "no memory");
	for (i = 0; i < a->n_rest && r == 0; i++)
		r = walk(&s, a->rest[i]);
	tell_names(&s, true, "== not here: does not compile");
	tell_names(&s, false, "== here, and different");
	free_places(&s);
	fflush(stdout);
	if (r != 0)
		return ow_cmd_fail(a, "%s: %s", a->rest[i - 1], strerror(r));
	if (s.failed)
		return ow_cmd_fail(a, "no memory for all places");
	fprintf(stderr, "%zu sources, %zu configurations: %zu to look at; "
			"doc/compatibility.md has all\n",
		s.sources, s.configurations, s.told);
	return OW_EXIT_OK;
}
