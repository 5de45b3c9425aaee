/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ubf: buffers in files; fields in the data base of fields
 *
 * Exit status 0: success; 1: diff found a difference; 2: an error.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "clients/ubf/diff.h"
#include "clients/ubf/fields.h"
#include "clients/ubf/file.h"
#include "libubf/base/about.h"

struct options {
	enum form from, to;
};

static void usage(FILE *out)
{
	fputs("usage: ubf print [--from FORM] [--to FORM] FILE\n"
	      "       ubf convert [--from FORM] --to FORM IN OUT\n"
	      "       ubf diff [--from FORM] A B\n"
	      "       ubf add TABLE ...\n"
	      "       ubf delete TABLE ...\n"
	      "UBF buffers in files. FORM is text (as Bprint), json (as "
	      "tpubftojson) or binary\n(as Bwrite); without --from it is "
	      "detected. \"-\" is the standard input or\noutput. Names of "
	      "fields come from FLDTBLDIR and FIELDTBLS.\n"
	      "  print    write the buffer to the standard output, as text\n"
	      "  convert  write the buffer in another form\n"
	      "  diff     - only in A, + only in B; exit status 1 if they "
	      "differ\n"
	      "  add      put the fields of field tables into the data base "
	      "NDRX_UBFDB\n"
	      "  delete   take them out of it\n", out);
}

static int wrong_usage(void)
{
	usage(stderr);
	return 2;
}

static int convert(const struct options *o, const char *in, const char *out)
{
	UBFH *ub = file_load(in, o->from);
	int r;

	if (ub == NULL)
		return 2;
	r = file_store(ub, out, o->to);
	Bfree(ub);
	return r < 0 ? 2 : 0;
}

static int compare(const struct options *o, const char *a, const char *b)
{
	UBFH *x = file_load(a, o->from);
	UBFH *y = x == NULL ? NULL : file_load(b, o->from);
	int r = y == NULL ? -1 : diff(x, y, stdout);

	Bfree(x);
	Bfree(y);
	return r < 0 ? 2 : r;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "f:t:h", longs, NULL)) != -1) {
		if (c == 'f')
			o->from = form_by_name(optarg);
		else if (c == 't')
			o->to = form_by_name(optarg);
		else
			return c == 'h' ? 1 : -1;
		if (o->from == FORM_UNKNOWN || o->to == FORM_UNKNOWN)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = { FORM_AUTO, FORM_AUTO };
	const char *command;
	int r, words;

	if (ow_about(argc, argv, "ubf") == OW_ABOUT_VERSION)
		return 0;
	r = parse_options(argc, argv, &o);
	words = argc - optind;
	command = words > 0 ? argv[optind] : "";
	if (r > 0) {
		usage(stdout);
		return 0;
	}
	if (r < 0)
		return wrong_usage();
	argv += optind;
	if (strcmp(command, "print") == 0 && words == 2) {
		if (o.to == FORM_AUTO)
			o.to = FORM_TEXT;
		return convert(&o, argv[1], "-");
	}
	if (strcmp(command, "convert") == 0 && words == 3 &&
	    o.to != FORM_AUTO)
		return convert(&o, argv[1], argv[2]);
	if (strcmp(command, "diff") == 0 && words == 3)
		return compare(&o, argv[1], argv[2]);
	if (strcmp(command, "add") == 0 && words > 1)
		return fields_add(argv + 1) == 0 ? 0 : 2;
	if (strcmp(command, "delete") == 0 && words > 1)
		return fields_delete(argv + 1) == 0 ? 0 : 2;
	return wrong_usage();
}
