/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.c - logs: the lines of all logs of the domain that are of one trace
 *
 * Read: the files of the folders in which logs are by configuration, and those
 * that processes of the domain have open to append to. No process is asked, so
 * it works without ndrxd and without a domain. Bounded: the last MiBs of each
 * file, the newest lines of all.
 */
#include "clients/xadmin/list/list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/list/log_files.h"
#include "clients/xadmin/list/log_line.h"
#include "libatmi/base/env.h"
#include "libubf/base/printable.h"

#define COUNT	  1000
#define COUNT_MAX 10000
#define LINE_MOST 4096 /* bytes of a line; the rest is cut off */
#define READ_MOST ((off_t)64 << 20) /* of a file, its end */
#define TRACE	  32 /* hexadecimal digits of a trace, of a request */
#define REQUEST	  16

static const struct ow_column columns[] = {
	{ "TIME", 26, 0 },
	{ "LOG", 12, OW_COLUMN_GROWS },
	{ "PID", 7, OW_COLUMN_RIGHT },
	{ "LEVEL", 6, 0 },
	{ "REQUEST", 16, 0 },
	{ "TEXT", 20, 0 },
	{ NULL, 0, 0 },
};

struct found {
	struct ow_log_parts parts;
	char *line, *json; /* where its texts lie */
	size_t log, number; /* of the file, of the line in it */
};

struct search {
	char id[TRACE + 1];
	const struct ow_log_files *files;
	struct found *list;
	size_t n, room, most;
	size_t left_out, shortened;
	bool failed;
};

/* ---- what is looked for ---- */

/* A trace, a request, or a traceparent, which has its trace in the middle.
 * False: it is none of these. */
static bool take_id(const char *text, char id[TRACE + 1])
{
	size_t i, len = strlen(text);
	bool set = false;

	if (len == 55 && text[2] == '-' && text[35] == '-') {
		text += 3;
		len = TRACE;
	}
	if (len != TRACE && len != REQUEST)
		return false;
	for (i = 0; i < len; i++) {
		if (!isxdigit((unsigned char)text[i]))
			return false;
		id[i] = (char)tolower((unsigned char)text[i]);
		set |= text[i] != '0';
	}
	id[len] = '\0';
	return set;
}

/* ---- lines ---- */

static int by_time(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int r = strcmp(x->parts.when, y->parts.when);

	if (r == 0)
		r = (x->log > y->log) - (x->log < y->log);
	return r != 0 ? r : (x->number > y->number) - (x->number < y->number);
}

static void drop(struct found *f)
{
	free(f->line);
	free(f->json);
}

/* Of those that were found the newest stay, in order. */
static void keep_newest(struct search *s)
{
	size_t i, over = s->n > s->most ? s->n - s->most : 0;

	if (s->n > 0)
		qsort(s->list, s->n, sizeof(*s->list), by_time);
	for (i = 0; i < over; i++)
		drop(&s->list[i]);
	if (over > 0)
		memmove(s->list, s->list + over,
			(s->n - over) * sizeof(*s->list));
	s->n -= over;
	s->left_out += over;
}

static void take_line(struct search *s, const char *line, size_t len,
		      size_t log, size_t number)
{
	struct found f = { .log = log, .number = number };

	f.line = strndup(line, len < LINE_MOST ? len : LINE_MOST);
	if (f.line == NULL) {
		s->failed = true;
		return;
	}
	ow_log_parts_read(f.line, &f.parts, &f.json);
	ow_printable_line(f.parts.text);
	if (s->n == s->room)
		keep_newest(s);
	s->list[s->n++] = f;
}

static void search_file(struct search *s, size_t log)
{
	FILE *f = ow_log_files_open(s->files, log);
	char *line = NULL;
	size_t room = 0, number = 0;
	off_t left = READ_MOST; /* a log may grow faster than it is read */
	ssize_t n;

	if (f == NULL)
		return;
	if (fseeko(f, 0, SEEK_END) == 0 && ftello(f) > READ_MOST) {
		s->shortened++;
		fseeko(f, -READ_MOST, SEEK_END);
		left -= getline(&line, &room, f); /* half a line */
	} else {
		rewind(f);
	}
	while (left > 0 && (n = getline(&line, &room, f)) > 0) {
		left -= n;
		number++;
		if (line[n - 1] == '\n')
			n--;
		if (memmem(line, (size_t)n, s->id, strlen(s->id)) != NULL)
			take_line(s, line, (size_t)n, log, number);
	}
	free(line);
	fclose(f);
}

/* ---- the listing ---- */

/* 2026-11-28 01:02:03.123456 */
static const char *when_text(const char *when, char buf[32])
{
	if (when[0] == '\0')
		return "";
	snprintf(buf, 32, "%.4s-%.2s-%.2s %.2s:%.2s:%.2s.%.6s", when, when + 4,
		 when + 6, when + 8, when + 10, when + 12, when + 14);
	return buf;
}

static void show(struct ow_listing *l, const struct search *s,
		 const struct found *f)
{
	const char *path = ow_log_files_path(s->files, f->log);
	const char *slash = strrchr(path, '/');
	const struct ow_log_parts *p = &f->parts;
	char when[32];

	if (l->json != NULL) {
		ow_json_row_begin(l->json);
		ow_json_str(l->json, "time", when_text(p->when, when));
		ow_json_str(l->json, "log", path);
		ow_json_int(l->json, "pid", p->pid);
		ow_json_str(l->json, "level", p->level);
		ow_json_str(l->json, "request", p->request);
		ow_json_str(l->json, "text", p->text);
		ow_json_row_end(l->json);
		return;
	}
	ow_grid_cell(l->grid, "%s", p->when[0] != '\0'
					    ? when_text(p->when, when) : "-");
	ow_grid_cell(l->grid, "%s", slash != NULL ? slash + 1 : path);
	ow_grid_cell(l->grid, p->pid != 0 ? "%ld" : "-", p->pid);
	ow_grid_cell(l->grid, "%s", p->level[0] != '\0' ? p->level : "-");
	ow_grid_cell(l->grid, "%s", p->request[0] != '\0' ? p->request : "-");
	ow_grid_cell(l->grid, "%s", p->text);
	ow_grid_end_row(l->grid);
}

/* What the list cannot say itself. */
static void remark(const struct search *s)
{
	size_t files = ow_log_files_count(s->files);

	if (s->n == 0)
		fprintf(stderr, "no line of %zu logs has it\n", files);
	if (s->left_out > 0)
		fprintf(stderr, "%zu older lines are left out: -n\n",
			s->left_out);
	if (s->shortened > 0)
		fprintf(stderr, "of %zu logs the last %lld MiB were read\n",
			s->shortened, (long long)(READ_MOST >> 20));
	if (ow_log_files_more(s->files))
		fprintf(stderr, "there are more logs: the first %zu were "
			"read\n", files);
}

static int list(struct ow_args *a, struct search *s)
{
	struct ow_listing l;
	size_t i;

	if (s->failed || ow_listing_begin(&l, &a->form, columns) != 0)
		return ow_cmd_fail(a, "no memory");
	for (i = 0; i < s->n; i++)
		show(&l, s, &s->list[i]);
	ow_listing_end(&l);
	remark(s);
	return OW_EXIT_OK;
}

static int search_all(struct ow_args *a, struct search *s)
{
	struct ow_log_files *files = ow_log_files_find();
	size_t i;
	int r;

	s->files = files;
	s->room = 2 * s->most;
	s->list = calloc(s->room, sizeof(*s->list));
	s->failed = files == NULL || s->list == NULL;
	for (i = 0; !s->failed && i < ow_log_files_count(files); i++)
		search_file(s, i);
	keep_newest(s);
	r = list(a, s);
	for (i = 0; i < s->n; i++)
		drop(&s->list[i]);
	free(s->list);
	ow_log_files_free(files);
	return r;
}

int ow_list_logs(struct ow_args *a)
{
	const char *count = ow_args_value(a, 'n');
	struct search s = { .n = 0 };
	struct ow_domain d;
	long most = COUNT;

	if (count != NULL && (ow_env_parse_long(count, &most) != 0 ||
			      most < 1 || most > COUNT_MAX))
		return ow_cmd_misused(a, "-n %s: give a number from 1 to %d",
				      count, COUNT_MAX);
	if (a->n_rest != 1 || !take_id(a->rest[0], s.id))
		return ow_cmd_misused(a, "give a trace of 32 hexadecimal "
				      "digits, or a request of 16");
	if (ow_reach_own(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	s.most = (size_t)most;
	return search_all(a, &s);
}
