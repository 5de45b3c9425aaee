/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buildtms.c - buildtms: make a tmsrv that has the switch of a resource manager
 *
 * It writes the source of a main() with the switch that the RM file names, and
 * links it with the libraries of that line and the body of tmsrv. Exit status 0:
 * the program was made; 1: it was not; 2: wrong usage.
 */
#include <stdio.h>

#include "clients/buildserver/compile.h"
#include "libubf/base/about.h"

/* The main() refers to its functions weakly: that alone would not keep it. */
#define LIBRARIES "-Wl,--no-as-needed -lonewaketms -Wl,--as-needed " \
	"-latmisrvinteg -latmi -lubf"

static void usage(FILE *out)
{
	fputs("usage: buildtms -r name [-o file] [-l files] [-k] [-v]\n"
	      "Make a tmsrv for one kind of resource manager, compiled with $CC "
	      "$CFLAGS.\n"
	      "  -r name   resource manager, as the RM file has it (also -g)\n"
	      "  -o file   the program (TMS)\n"
	      "  -l files  objects, libraries and options, behind all others\n"
	      "  -k        keep the source of main(), TMS-<pid>.c\n"
	      "  -v        print the command that is run\n"
	      "  -f, -a files: the same in front; -b, -n: taken without effect\n",
	      out);
}

static int build(struct build *b)
{
	const struct services none = { NULL, 0 };

	if (build_resource_manager(b) != 0)
		return 1;
	if (b->rm_switch[0] == '\0') {
		fprintf(stderr, "buildtms: there is no RM file: set "
				"NDRX_RMFILE, or use tmsrv as it is\n");
		return 1;
	}
	return build_with_main(b, "TMS", &none, 0, LIBRARIES);
}

int main(int argc, char **argv)
{
	struct build b = { .program = "buildtms",
			   .letters = "o:f:a:l:r:g:b:n:vkCh",
			   .usage = usage,
			   .makes_main = true,
			   .needs_switch = true,
			   .out = "TMS" };
	int r, status;

	if (ow_about_printed(argc, argv, "buildtms", usage))
		return 0;
	r = build_options(&b, argc, argv);
	if (r == 0 && b.rm == NULL) {
		fprintf(stderr, "buildtms: -r is missing\n");
		usage(stderr);
		r = 1;
	}
	status = r == 0 ? build(&b) : r == 1 ? 2 : 1;
	build_free(&b);
	return status;
}
