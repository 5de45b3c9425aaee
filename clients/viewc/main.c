/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - viewc: compile view files
 *
 * From <name>.v (or .v_in, or whatever it ends in) it makes <name>.h in the
 * current folder, with a structure per view, and <name>.V, which the library
 * loads. The offsets of members follow from the rules of C on this machine, so
 * no compiler is run. A view file with an error leaves the old files as they
 * were. Exit status 0: success; 1: a file failed; 2: wrong usage.
 */
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/common/newfile.h"
#include "clients/viewc/cobol.h"
#include "clients/viewc/write.h"
#include "libubf/base/cleanup.h"
#include "libubf/tables/fldtbl.h"
#include "libubf/viewdef/read.h"
#include "libubf/base/about.h"
#include "libubf/base/printable.h"

struct options {
	const char *outdir;	/* of the .V */
	int check;	/* whether the field tables know the fields */
	int cobol;	/* whether to write COPY files */
};

/* `text` has the $ lines, each with a newline; ends[i] is where those above
 * view i end in it. */
struct views {
	struct ow_view **list;
	size_t *ends;
	size_t count;
	char *text;
	size_t text_len;
};

static int complain(const char *what, const char *why)
{
	ow_print(stderr, "viewc: %s: %s\n", what, why);
	return -1;
}

static void usage(FILE *out)
{
	fprintf(out,
		"usage: viewc [-n] [-C] [-d folder] [-m 0] [-L folder] "
		"[-b options] file.v...\n"
		"Write <file>.h, the structures, to the current folder, and "
		"<file>.V, which\nprograms load at run time.\n"
		"  -n          take the names of fields as they are: field "
		"tables are not read\n"
		"  -C          write <VIEW>.cbl for each view, a COPY file "
		"of COBOL\n"
		"  -d folder   where the .V goes (default: the current "
		"folder)\n"
		"  -m mode     0: C (the default)\n"
		"  -L, -b      accepted and not used: no compiler is run\n");
}

static void views_freep(struct views *vs)
{
	while (vs->count > 0)
		ow_view_freep(&vs->list[--vs->count]);
	free(vs->list);
	free(vs->ends);
	free(vs->text);
	*vs = (struct views){ 0 };
}

/* Fields that members are mapped to must be in the field tables. */
static int check_fields(const struct ow_view *v, const char *path)
{
	const struct ow_fldtbl *t;
	char error[OW_TABFILE_ERROR_MAX];
	uint32_t i;

	for (i = 0; i < v->ncols; i++) {
		const struct ow_view_col *c = v->cols + i;

		if (c->mapping == 0)
			continue;
		if (ow_fldtbl_get(&t, error) < 0) {
			ow_print(stderr, "%s:%u: field %s: %s (-n: without "
				"fields)\n", path, c->line, c->fbname, error);
			return -1;
		}
		if (ow_fldtbl_id_now(&t, c->fbname) == BBADFLDID) {
			const char *missing = ow_fldtbl_missing(t);

			ow_print(stderr, "%s:%u: there is no field '%s'%s%s%s\n",
				path, c->line, c->fbname,
				missing == NULL ? "" : " (field table ",
				missing == NULL ? "" : missing,
				missing == NULL ? "" : " is in no folder of "
						       "FLDTBLDIR)");
			return -1;
		}
	}
	return 0;
}

static void warn_of_cuts(const struct ow_view *v, const char *path)
{
	uint32_t i;

	for (i = 0; i < v->ncols; i++) {
		const struct ow_view_col *c = v->cols + i;

		if (c->null_cut)
			ow_print(stderr, "%s:%u: warning: null value %.60s is "
				"cut: %s has %u bytes\n", path, c->line,
				c->null_text, c->cname, c->size);
	}
}

/* Keep a $ line for the header. */
static int keep_text(void *ctx, const char *text)
{
	struct views *vs = ctx;
	size_t n = strlen(text);
	char *grown = realloc(vs->text, vs->text_len + n + 2);

	if (grown == NULL)
		return -ENOMEM;
	vs->text = grown;
	memcpy(grown + vs->text_len, text, n);
	memcpy(grown + vs->text_len + n, "\n", 2);
	vs->text_len += n + 1;
	return 0;
}

/* Add the view to the list, or free it. */
static int keep(struct views *vs, struct ow_view *v, const char *path)
{
	struct ow_view **list;
	size_t i, *ends;

	for (i = 0; i < vs->count; i++) {
		if (strcmp(vs->list[i]->name, v->name) == 0) {
			ow_print(stderr, "%s:%u: view %s is defined twice\n",
				path, v->cols[0].line, v->name);
			ow_view_freep(&v);
			return -1;
		}
	}
	list = realloc(vs->list, (vs->count + 1) * sizeof(*list));
	if (list != NULL)
		vs->list = list;
	ends = realloc(vs->ends, (vs->count + 1) * sizeof(*ends));
	if (ends != NULL)
		vs->ends = ends;
	if (list == NULL || ends == NULL) {
		ow_view_freep(&v);
		return complain(path, "out of memory");
	}
	ends[vs->count] = vs->text_len;
	list[vs->count++] = v;
	return 0;
}

static int read_views(const struct options *o, const char *path,
		      struct views *vs)
{
	struct ow_view_reader r;
	struct ow_view *v;
	int res = ow_view_open(&r, path);

	if (res < 0)
		return complain(path, strerror(-res));
	r.text = keep_text;
	r.ctx = vs;
	while ((res = ow_view_next(&r, &v)) > 0) {
		warn_of_cuts(v, path);
		if (keep(vs, v, path) < 0 ||
		    (o->check && check_fields(v, path) < 0))
			break;
	}
	if (res < 0)
		ow_print(stderr, "%s\n", r.in.error[0] != '\0'
						? r.in.error
						: "out of memory");
	ow_view_close(&r);
	return res == 0 ? 0 : -1;
}

static void write_guard(FILE *out, const char *name)
{
	fputs("OW_VIEW_", out);
	for (; *name != '\0'; name++)
		fputc(isalnum((unsigned char)*name)
			      ? toupper((unsigned char)*name)
			      : '_', out);
	fputs("_H\n", out);
}

/* Write the $ lines between two places. */
static void write_text(FILE *out, const struct views *vs, size_t from,
		       size_t to)
{
	if (to > from)
		fwrite(vs->text + from, 1, to - from, out);
}

static void write_header(FILE *out, const char *name, const struct views *vs)
{
	size_t i, from = 0;

	fprintf(out, "/* Made by viewc from %s.v: change that file. */\n"
		"#ifndef ", name);
	write_guard(out, name);
	fputs("#define ", out);
	write_guard(out, name);
	fputc('\n', out);
	for (i = 0; i < vs->count; i++) {
		write_text(out, vs, from, vs->ends[i]);
		from = vs->ends[i];
		write_struct(out, vs->list[i]);
	}
	write_text(out, vs, from, vs->text_len);
	fputs("#endif\n", out);
}

/* Open <folder>/<name><end>; 0, or -1 after a message. */
static int open_output(struct ow_newfile *f, const char *folder,
		       const char *name, const char *end)
{
	OW_CLEANUP(ow_cleanup_freep) char *path = NULL;
	int r;

	if (asprintf(&path, "%s/%s%s", folder, name, end) < 0) {
		path = NULL;
		return complain(name, "out of memory");
	}
	r = ow_newfile_open(f, path);
	return r < 0 ? complain(path, strerror(-r)) : 0;
}

static int write_files(const struct options *o, const char *name,
		       const struct views *vs)
{
	OW_CLEANUP(ow_newfile_drop) struct ow_newfile h = { 0 };
	OW_CLEANUP(ow_newfile_drop) struct ow_newfile v = { 0 };
	size_t i;
	int r;

	if (open_output(&h, ".", name, ".h") < 0 ||
	    open_output(&v, o->outdir, name, ".V") < 0)
		return -1;
	write_header(h.file, name, vs);
	fprintf(v.file, "# Made by viewc from %s.v: change that file.\n",
		name);
	for (i = 0; i < vs->count; i++)
		write_compiled(v.file, vs->list[i]);
	if (ow_newfile_close(&h) < 0)
		return complain(h.path, "cannot be written");
	if (ow_newfile_close(&v) < 0)
		return complain(v.path, "cannot be written");
	r = ow_newfile_publish(&h);
	if (r < 0)
		return complain(h.path, strerror(-r));
	r = ow_newfile_publish(&v);
	return r < 0 ? complain(v.path, strerror(-r)) : 0;
}

static int write_copy_file(const struct ow_view *v, const char *path)
{
	OW_CLEANUP(ow_newfile_drop) struct ow_newfile f = { 0 };
	char name[NDRX_VIEW_NAME_LEN + 1];
	const char *member;
	size_t i;
	int r;

	for (i = 0; v->name[i] != '\0'; i++)
		name[i] = (char)toupper((unsigned char)v->name[i]);
	name[i] = '\0';
	if (open_output(&f, ".", name, ".cbl") < 0)
		return -1;
	member = cobol_write(f.file, v, path);
	if (member != NULL) {
		ow_print(stderr, "viewc: %s: %s.%s: COBOL has no names of more "
			"than %d bytes\n", path, v->name, member,
			COBOL_NAME_MAX);
		return -1;
	}
	if (ow_newfile_close(&f) < 0)
		return complain(f.path, "cannot be written");
	r = ow_newfile_publish(&f);
	return r < 0 ? complain(f.path, strerror(-r)) : 0;
}

static int write_copy_files(const struct views *vs, const char *path)
{
	size_t i;
	int failed = 0;

	for (i = 0; i < vs->count; i++)
		failed |= write_copy_file(vs->list[i], path) < 0;
	return failed ? -1 : 0;
}

static int compile(const struct options *o, const char *path)
{
	OW_CLEANUP(views_freep) struct views vs = { 0 };
	OW_CLEANUP(ow_cleanup_freep) char *copy = strdup(path);
	char *name, *end;

	if (copy == NULL)
		return complain(path, "out of memory");
	name = basename(copy);
	end = strrchr(name, '.');
	if (end != NULL && strcmp(end, ".V") == 0)
		return complain(path, "is compiled already");
	if (end != NULL && end != name)
		*end = '\0';
	if (read_views(o, path, &vs) < 0)
		return -1;
	if (vs.count == 0)
		return complain(path, "has no view");
	if (write_files(o, name, &vs) < 0)
		return -1;
	return o->cobol ? write_copy_files(&vs, path) : 0;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	int c;

	while ((c = getopt(argc, argv, "nCd:L:b:m:h")) != -1) {
		switch (c) {
		case 'n':
			o->check = 0;
			break;
		case 'C':
			o->cobol = 1;
			break;
		case 'd':
			o->outdir = optarg;
			break;
		case 'm':
			if (strcmp(optarg, "0") != 0)
				return complain("-m", "only mode 0 (C) is "
						"built");
			break;
		case 'L':
		case 'b':
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			return -1;
		}
	}
	if (optind < argc)
		return 0;
	usage(stderr);
	return -1;
}

int main(int argc, char **argv)
{
	struct options o = { .outdir = ".", .check = 1 };
	int i, failed = 0;

	if (ow_about_printed(argc, argv, "viewc", usage))
		return 0;
	if (parse_options(argc, argv, &o) < 0)
		return 2;
	for (i = optind; i < argc; i++)
		failed |= compile(&o, argv[i]) < 0;
	return failed;
}
