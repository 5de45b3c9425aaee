/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buildserver.c - buildserver: compile and link a server
 *
 * It writes the source of a main() with the table of services, and runs the
 * compiler over it and the files of the application. Exit status 0: the
 * program was made; 1: it was not; 2: wrong usage.
 */
#include <stdio.h>

#include "clients/buildserver/compile.h"
#include "libubf/base/about.h"

#define LIBRARIES "-latmisrvinteg -latmi -lubf"

struct server {
	struct build b; /* first: options get the server from it */
	struct services services;
	int threads; /* -t */
};

static void usage(FILE *out)
{
	fputs("usage: buildserver [-o file] [-f files] [-l files] [-s services]"
	      "... [-r name]\n\t[-k] [-t] [-v]\n"
	      "Make a server: a main() with the table of its services, compiled "
	      "with $CC $CFLAGS.\n"
	      "  -o file      the program (SERVER)\n"
	      "  -f files     sources, objects and options before the libraries "
	      "of Onewake\n"
	      "  -l files     the same, behind them\n"
	      "  -s services  SERVICE[,SERVICE...][:FUNCTION], :FUNCTION, or "
	      "@FILE with one per line\n"
	      "  -r name      resource manager, as the RM file has it (also -g)\n"
	      "  -k           keep the source of main(), BS-<pid>.c\n"
	      "  -t           the service functions may run in threads\n"
	      "  -v           print the command that is run\n"
	      "  -a files     as -f; -b, -n: taken without effect\n",
	      out);
}

static int take(struct build *b, int letter, const char *value)
{
	struct server *s = (struct server *)b;
	char why[512];

	if (letter == 't') {
		s->threads = 1;
		return 0;
	}
	if (letter != 's')
		return 1;
	if (services_add(&s->services, value, why, sizeof(why)) == 0)
		return 0;
	fprintf(stderr, "buildserver: -s %s: %s\n", value, why);
	return -1;
}

int main(int argc, char **argv)
{
	struct server s = { .b = { .program = "buildserver",
				   .letters = "o:f:a:l:s:r:g:b:n:vktCh",
				   .usage = usage,
				   .own = take,
				   .makes_main = true,
				   .out = "SERVER" } };
	int r, status;

	if (ow_about_printed(argc, argv, "buildserver", usage))
		return 0;
	r = build_options(&s.b, argc, argv);
	if (r != 0)
		status = r == 1 ? 2 : 1;
	else if (build_resource_manager(&s.b) != 0)
		status = 1;
	else
		status = build_with_main(&s.b, "BS", &s.services, s.threads,
					 LIBRARIES);
	services_free(&s.services);
	build_free(&s.b);
	return status;
}
