/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buildclient.c - buildclient: compile and link a client
 *
 * The files of the application have a main(). Exit status 0: the program was
 * made; 1: it was not; 2: wrong usage.
 */
#include <stdio.h>

#include "clients/buildserver/compile.h"
#include "libubf/base/about.h"

#define LIBRARIES "-latmi -lubf"

static void usage(FILE *out)
{
	fputs("usage: buildclient [-o file] [-f files] [-l files] [-r name] "
	      "[-v] [-w]\n"
	      "Make a client: compiled with $CC $CFLAGS.\n"
	      "  -o file   the program (a.out)\n"
	      "  -f files  sources, objects and options before the libraries of "
	      "Onewake\n"
	      "  -l files  the same, behind them\n"
	      "  -r name   resource manager (also -g)\n"
	      "  -v        print the command that is run\n"
	      "  -w        a client of another machine: there are none, an "
	      "ordinary one is made\n"
	      "  -a files  as -f; -b, -k: taken without effect\n",
	      out);
}

static int take(struct build *b, int letter, const char *value)
{
	(void)b;
	(void)value;
	if (letter != 'w')
		return 1;
	fputs("buildclient: -w: there are no clients of other machines yet; an "
	      "ordinary one is made\n", stderr);
	return 0;
}

int main(int argc, char **argv)
{
	struct build b = { .program = "buildclient",
			   .letters = "o:f:a:l:r:g:b:vkwCh",
			   .usage = usage,
			   .own = take,
			   .out = "a.out" };
	int r, status;

	if (ow_about_printed(argc, argv, "buildclient", usage))
		return 0;
	r = build_options(&b, argc, argv);
	if (r != 0)
		status = r == 1 ? 2 : 1;
	else if (build_resource_manager(&b) != 0)
		status = 1;
	else
		status = build_run(&b, NULL, LIBRARIES);
	build_free(&b);
	return status;
}
