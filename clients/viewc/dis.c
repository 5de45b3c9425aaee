/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dis.c - viewdis: print compiled views as view files
 *
 * The output can be edited and compiled again. Offsets of members and sizes of
 * structures are comments in it. Exit status 0: success; 1: a file failed; 2:
 * wrong usage.
 */
#include <stdio.h>
#include <string.h>

#include "clients/viewc/write.h"
#include "libubf/base/about.h"
#include "libubf/viewdef/read.h"
#include "libubf/base/printable.h"

static void usage(FILE *out)
{
	fputs("usage: viewdis file.V...\n"
	      "Print the views that viewc has compiled as view files, with the "
	      "offsets of their\nmembers.\n", out);
}

/* 0 or -1 after a message. */
static int print_view(const struct ow_view_reader *r, const struct ow_view *v)
{
	if (!r->has_sums) {
		ow_print(stderr, "%s: view %s is not compiled (viewc does "
			"that)\n", r->in.path, v->name);
		return -1;
	}
	write_source(stdout, v);
	return 0;
}

static int print_file(const char *path)
{
	struct ow_view_reader r;
	struct ow_view *v = NULL;
	int res = ow_view_open(&r, path), failed = 0;

	if (res < 0) {
		ow_print(stderr, "viewdis: %s: %s\n", path, strerror(-res));
		return -1;
	}
	while (!failed && (res = ow_view_next(&r, &v)) > 0) {
		failed = print_view(&r, v) < 0;
		ow_view_freep(&v);
	}
	if (res < 0)
		ow_print(stderr, "%s\n", r.in.error[0] != '\0'
						? r.in.error
						: "out of memory");
	ow_view_close(&r);
	return failed || res < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	if (ow_about_printed(argc, argv, "viewdis", usage))
		return 0;
	if (argc < 2 || argv[1][0] == '-') {
		usage(stderr);
		return 2;
	}
	for (i = 1; i < argc; i++)
		failed |= print_file(argv[i]) < 0;
	if (fflush(stdout) != 0) {
		ow_print(stderr, "viewdis: standard output cannot be written\n");
		failed = 1;
	}
	return failed;
}
