/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dmloadcf.c - dmloadcf: check a DMCONFIG, and print what it becomes here
 *
 * A front of `xadmin import dmconfig`. The entries of tpbridge that are printed
 * belong into the configuration of the domain, which dmloadcf does not change: so
 * without -n or -c it says that and fails. Exit status 0: the file is correct; 1: it
 * is not, or was to be loaded; 2: wrong usage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "clients/tm/run.h"
#include "clients/tm/site.h"
#include "libubf/base/about.h"

static void usage(FILE *out)
{
	fputs("usage: dmloadcf [-n] [-c] [-y] [-b blocks] dmconfig\n"
	      "Print the entries of tpbridge that a DMCONFIG becomes, and what "
	      "became of each line.\n"
	      "  -n, -c         check the file: exit status 0 if it is correct\n"
	      "  -y, -b blocks  taken without effect\n",
	      out);
}

int main(int argc, char **argv)
{
	enum ow_about about = ow_about(argc, argv, "dmloadcf");
	const char *words[] = { "xadmin", "import", "dmconfig", NULL, NULL };
	bool check = false;
	int c;

	if (about == OW_ABOUT_HELP)
		usage(stdout);
	if (about != OW_ABOUT_NONE)
		return 0;
	while ((c = getopt(argc, argv, "ncyb:h")) != -1) {
		check = check || c == 'n' || c == 'c';
		if (c == 'h' || c == '?') {
			usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (optind + 1 != argc) {
		usage(stderr);
		return 2;
	}
	words[3] = argv[optind];
	if (run_program(words, NULL, NULL) != 0)
		return 1;
	if (check)
		return 0;
	fprintf(stderr, "dmloadcf: nothing was changed: put the entries into "
			"<servers> of ndrxconfig.xml (%s.d/conf), then `xadmin "
			"reload`\n", site_name());
	return 1;
}
