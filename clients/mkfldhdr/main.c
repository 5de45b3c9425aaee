/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - mkfldhdr: make headers from field tables
 *
 * For each table it makes a header <table>.h with one #define per field, or the
 * same for another language. A table with an error leaves the old header as it
 * was. Exit status 0: success; 1: a table or header failed; 2: wrong usage.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/common/newfile.h"
#include "clients/mkfldhdr/lang.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/variable.h"
#include "libubf/tables/fldtbl.h"
#include "libubf/base/about.h"
#include "libubf/base/printable.h"

struct options {
	const char *outdir;
	const char *package;	/* NULL: the default of the language */
	const struct lang *lang;
};

static int complain(const char *what, const char *why)
{
	ow_print(stderr, "mkfldhdr: %s: %s\n", what, why);
	return -1;
}

static void usage(FILE *out)
{
	fprintf(out,
		"usage: mkfldhdr [-D level] [-d folder] [-m mode] "
		"[-p package] [table...]\n"
		"Write <table>.h for each field table file named. Without "
		"arguments, for the\ntables of FIELDTBLS (comma list; "
		"fld.tbl), found in FLDTBLDIR (colon\nlist; the "
		"current folder).\n"
		"  -D level    debug level, accepted and not used\n"
		"  -d folder   where to write (default: the current folder)\n"
		"  -m mode     0: C (the default), 1: Go (<table>.go), "
		"2: Java, 3: Python\n"
		"  -p package  package name for Go (ubftab) and Java "
		"(none)\n");
}

/* Copy the table to `out` as a header; 0, or -1 after a message. */
static int convert(const struct options *o, struct ow_fldtbl_reader *r,
		   FILE *out, const char *name)
{
	OW_CLEANUP(ow_fldtbl_freep) struct ow_fldtbl *seen = NULL;
	struct ow_fldtbl_item item;
	int res, fields = 0;

	res = ow_fldtbl_new(&seen);
	if (res < 0)
		return complain(r->in.path, strerror(-res));
	o->lang->begin(out, o->package != NULL ? o->package
					       : o->lang->package, name);
	while ((res = ow_fldtbl_next(r, &item)) > 0) {
		if (item.text == NULL)
			res = ow_fldtbl_add(seen, r, &item);
		if (res < 0)
			break;
		if (item.text == NULL && fields++ == 0)
			o->lang->titles(out);
		o->lang->item(out, &item);
	}
	o->lang->end(out);
	if (res < 0) {
		ow_print(stderr, "%s\n", r->in.error[0] != '\0'
						? r->in.error
						: "out of memory");
		return -1;
	}
	return 0;
}

static int write_header(const struct options *o, struct ow_fldtbl_reader *r,
			const char *header, const char *name)
{
	OW_CLEANUP(ow_newfile_drop) struct ow_newfile f = { 0 };
	int res = ow_newfile_open(&f, header);

	if (res < 0)
		return complain(header, strerror(-res));
	if (convert(o, r, f.file, name) < 0)
		return -1;
	if (ow_newfile_close(&f) < 0)
		return complain(header, "cannot be written");
	res = ow_newfile_publish(&f);
	return res < 0 ? complain(header, strerror(-res)) : 0;
}

static int make_header(const struct options *o, const char *table)
{
	OW_CLEANUP(ow_cleanup_freep) char *header = NULL;
	struct ow_fldtbl_reader r;
	char name[LANG_NAME_MAX];
	int res;

	if (lang_file_name(o->lang, table, name) < 0)
		return complain(table, "the name is too long");
	if (asprintf(&header, "%s/%s.%s", o->outdir, name,
		     o->lang->suffix) < 0) {
		header = NULL;
		return complain(table, "out of memory");
	}
	res = ow_fldtbl_open(&r, table);
	if (res < 0)
		return complain(table, strerror(-res));
	res = write_header(o, &r, header, name);
	ow_fldtbl_close(&r);
	return res;
}

/* A table that fails is reported; the other tables are made. */
struct tables {
	const struct options *o;
	int failed;
};

static int make_located(void *ctx, const struct ow_tabfile_name *n)
{
	struct tables *t = ctx;

	if (n->path == NULL)
		t->failed |= complain(n->name, "not found in FLDTBLDIR") < 0;
	else
		t->failed |= make_header(t->o, n->path) < 0;
	return 0;
}

/* mkfldhdr32 makes the headers of FML32's tables, mkfldhdr of the others; of
 * the only list where only one is set. */
static void choose_list(const char *program)
{
	size_t n = strlen(program);
	int is_32 = n > 2 && strcmp(program + n - 2, "32") == 0;

	if (ow_variable("FIELDTBLS") == NULL || ow_variable("FIELDTBLS32") == NULL)
		return;
	unsetenv(is_32 ? "FIELDTBLS" : "FIELDTBLS32");
}

static int make_from_environment(const struct options *o, const char *program)
{
	const struct ow_tabfile_list list = { OW_FLDTBL_LIST,
					      .take = make_located };
	char error[OW_TABFILE_ERROR_MAX] = "out of memory";
	struct tables t = { .o = o };

	choose_list(program);
	if (ow_tabfile_each(&list, &t, error) < 0)
		return complain("no tables named", error);
	return t.failed ? -1 : 0;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	int c;

	while ((c = getopt(argc, argv, "D:d:m:p:h")) != -1) {
		switch (c) {
		case 'd':
			o->outdir = optarg;
			break;
		case 'm':
			o->lang = lang_by_mode(optarg);
			if (o->lang == NULL)
				return complain("-m", "modes are 0 (C), 1 "
						"(Go), 2 (Java) and 3 "
						"(Python)");
			break;
		case 'p':
			o->package = optarg;
			break;
		case 'D':
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			return -1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = { .outdir = ".", .lang = lang_by_mode("0") };
	int i, failed = 0;

	if (ow_about_printed(argc, argv, "mkfldhdr", usage))
		return 0;
	if (parse_options(argc, argv, &o) < 0)
		return 2;
	if (optind == argc)
		return make_from_environment(&o, argv[0]) < 0;
	for (i = optind; i < argc; i++)
		failed |= make_header(&o, argv[i]) < 0;
	return failed;
}
