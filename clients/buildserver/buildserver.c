/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buildserver.c - buildserver: compile and link a server
 *
 * It writes the source of a main() with the table of services, and runs the
 * compiler over it and the files of the application. Exit status 0: the
 * program was made; 1: it was not; 2: wrong usage.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/buildserver/compile.h"
#include "clients/buildserver/services.h"
#include "libubf/base/about.h"
#include "libubf/base/cleanup.h"

#define LIBRARIES "-latmisrvinteg -latmi -lubf"

struct server {
	struct build b;
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

static int take(struct server *s, int c, const char *value)
{
	char why[512];
	int r = build_option(&s->b, c, value);

	if (r <= 0)
		return r;
	if (c == 't') {
		s->threads = 1;
		return 0;
	}
	if (c != 's')
		return -2;
	if (services_add(&s->services, value, why, sizeof(why)) == 0)
		return 0;
	fprintf(stderr, "buildserver: -s %s: %s\n", value, why);
	return -1;
}

static int parse_options(int argc, char **argv, struct server *s)
{
	int c, r = 0;

	while (r == 0 &&
	       (c = getopt(argc, argv, "o:f:a:l:s:r:g:b:n:vktCh")) != -1) {
		if (c == 'h') {
			usage(stdout);
			exit(0);
		}
		r = take(s, c, optarg);
	}
	if (r == 0 && optind < argc) {
		fprintf(stderr, "buildserver: %s: files follow -f or -l\n",
			argv[optind]);
		r = -2;
	}
	if (r == -2)
		usage(stderr);
	return r;
}

static int write_stub(const struct server *s, const char *path)
{
	FILE *out = fopen(path, "wxe");
	int failed;

	if (out == NULL) {
		fprintf(stderr, "buildserver: %s: %s\n", path,
			strerror(errno));
		return -1;
	}
	services_write_main(&s->services, s->b.rm_switch, s->threads, out);
	failed = ferror(out);
	if (fclose(out) == 0 && !failed)
		return 0;
	fprintf(stderr, "buildserver: %s: cannot be written\n", path);
	unlink(path);
	return -1;
}

static int build(struct server *s)
{
	char stub[64];
	int status;

	if (build_resource_manager(&s->b) != 0)
		return 1;
	snprintf(stub, sizeof(stub), "BS-%d.c", (int)getpid());
	if (write_stub(s, stub) != 0)
		return 1;
	status = build_run(&s->b, stub, LIBRARIES);
	if (!s->b.keep)
		unlink(stub);
	return status;
}

int main(int argc, char **argv)
{
	struct server s = { .b = { .program = "buildserver",
				   .makes_main = true,
				   .out = "SERVER" } };
	enum ow_about about = ow_about(argc, argv, "buildserver");
	int r, status;

	if (about == OW_ABOUT_HELP)
		usage(stdout);
	if (about != OW_ABOUT_NONE)
		return 0;
	r = parse_options(argc, argv, &s);
	if (r < 0)
		status = r == -2 ? 2 : 1;
	else
		status = build(&s);
	services_free(&s.services);
	build_free(&s.b);
	return status;
}
