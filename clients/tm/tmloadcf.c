/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmloadcf.c - tmloadcf: make a domain of a UBBCONFIG
 *
 * `xadmin import ubbconfig` makes the folder $TUXCONFIG.d. The environment
 * that its setenv gives goes into the file $TUXCONFIG, which programs of the
 * application read where no NDRX_QPREFIX is set: they need TUXCONFIG only, as
 * with Tuxedo. Exit status 0: the domain is made, or the file is correct; 1: it
 * is not; 2: wrong usage.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clients/tm/load.h"
#include "clients/tm/run.h"
#include "clients/tm/site.h"
#include "libubf/base/about.h"
#include "libubf/base/cleanup.h"

struct load {
	bool check; /* -n */
	bool sure;  /* -y */
	const char *file;
	const char *machine; /* -m; NULL: that of MASTER */
};

static void usage(FILE *out)
{
	fputs("usage: tmloadcf [-n] [-y] [-c] [-m LMID] [-b blocks] {ubbconfig | -}\n"
	      "Make a domain of a configuration of Tuxedo; TUXCONFIG names the "
	      "file that programs\nread then, the domain is in $TUXCONFIG.d.\n"
	      "  -n         check the file, make nothing\n"
	      "  -y         do not ask\n"
	      "  -c         check the file; no sizes of kernel resources need "
	      "to be set\n"
	      "  -m LMID    this machine of several, as a node of a cluster\n"
	      "  -b blocks  taken without effect\n",
	      out);
}

/* Ask for the file TUXCONFIG, as Tuxedo does. */
static bool is_sure(const struct load *l)
{
	char question[PATH_MAX + 64];

	snprintf(question, sizeof(question),
		 "Initialize TUXCONFIG file: %s [y, q] ? ", site_name());
	return l->sure || run_ask(question);
}

/* The text of the file, in conf of the folder: 0 or -1. */
static int keep(const char *file, const char *text)
{
	char path[PATH_MAX];

	site_path("tmloadcf", file, path, sizeof(path));
	return load_write("tmloadcf", path, text);
}

/* The domain of the configuration: an exit status. */
static int make(const struct load *l, const char *text)
{
	struct load_files f = { .program = "tmloadcf", .ubb = l->file,
				.machine = l->machine };
	char domains[PATH_MAX];

	site_path("tmloadcf", "conf/dmconfig", domains, sizeof(domains));
	if (access(domains, F_OK) == 0)
		f.domains = domains;
	if (load_make(&f) != 0 || keep("conf/ubbconfig", text) != 0)
		return 1;
	return keep("conf/machine", l->machine != NULL ? l->machine : "") != 0;
}

static int load(struct load *l)
{
	OW_CLEANUP(ow_cleanup_freep) char *text =
	    load_read("tmloadcf", l->file);
	struct load_files f = { .program = "tmloadcf", .machine = l->machine };
	char copy[PATH_MAX];

	if (text == NULL)
		return 1;
	f.ubb = l->file;
	if (l->check && strcmp(l->file, "-") != 0)
		return load_check(&f);
	if (load_folder("tmloadcf") < 0)
		return 1;
	if (strcmp(l->file, "-") == 0) {
		site_path("tmloadcf", "conf/stdin", copy, sizeof(copy));
		if (load_write("tmloadcf", copy, text) < 0)
			return 1;
		f.ubb = l->file = copy;
	}
	if (l->check)
		return load_check(&f);
	return is_sure(l) ? make(l, text) : 1;
}

int main(int argc, char **argv)
{
	struct load l = { .check = false };
	int c;

	if (ow_about_printed(argc, argv, "tmloadcf", usage))
		return 0;
	while ((c = getopt(argc, argv, "nycb:m:h")) != -1) {
		if (c == 'n' || c == 'c')
			l.check = true;
		else if (c == 'y')
			l.sure = true;
		else if (c == 'm')
			l.machine = optarg;
		else if (c == 'h')
			usage(stdout);
		if (c == 'h')
			return 0;
		if (c == '?')
			break;
	}
	if (c == '?' || optind + 1 != argc) {
		usage(stderr);
		return 2;
	}
	l.file = argv[optind];
	return load(&l);
}
