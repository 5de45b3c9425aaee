/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dmloadcf.c - dmloadcf: add the links to other domains that a DMCONFIG has
 *
 * The domain of TUXCONFIG is made anew of its UBBCONFIG and the DMCONFIG, as
 * tmloadcf makes it (load.h); before tmloadcf the DMCONFIG is kept for it. The file
 * that BDMCONFIG names, if it does, says where the links are. Exit status 0: they
 * are made, or the file is correct; 1: they are not; 2: wrong usage.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clients/tm/load.h"
#include "clients/tm/run.h"
#include "clients/tm/site.h"
#include "libatmi/base/env.h"
#include "libubf/base/about.h"
#include "libubf/base/cleanup.h"

static void usage(FILE *out)
{
	fputs("usage: dmloadcf [-n] [-c] [-y] [-b blocks] dmconfig\n"
	      "Add links to other domains, tpbridge, to the domain of "
	      "TUXCONFIG.\n"
	      "  -n, -c     check the file, and print the links and what became "
	      "of each line\n"
	      "  -y         do not ask\n"
	      "  -b blocks  taken without effect\n",
	      out);
}

/* Only faults are printed: the report comes with the links. */
static void on_line(const char *line, void *arg)
{
	(void)arg;
	if (strncmp(line, "xadmin: import: ", 16) == 0)
		fprintf(stderr, "dmloadcf: %s\n", line + 16);
}

/* `fn` NULL: print all. An exit status. */
static int check(const char *file, run_line_fn *fn)
{
	const char *const words[] = { "xadmin", "import", "dmconfig", file,
				      NULL };

	return run_program(words, fn, NULL) == 0 ? 0 : 1;
}

/* Programs and scripts look whether the file is there. */
static int write_bdmconfig(const char *copy)
{
	const char *path = ow_env_str("BDMCONFIG", NULL);
	char text[PATH_MAX + 64];

	snprintf(text, sizeof(text), "# the links to other domains: %s\n", copy);
	return path != NULL ? load_write("dmloadcf", path, text) : 0;
}

/* The domain anew, with its links. An exit status. */
static int make(const char *file)
{
	struct load_files f = { .program = "dmloadcf", .domains = file };
	OW_CLEANUP(ow_cleanup_freep) char *lmid = NULL;
	char ubb[PATH_MAX], machine[PATH_MAX];

	site_path("dmloadcf", "conf/ubbconfig", ubb, sizeof(ubb));
	site_path("dmloadcf", "conf/machine", machine, sizeof(machine));
	if (access(ubb, F_OK) != 0) {
		fprintf(stderr, "dmloadcf: the links come with the domain: load "
				"its UBBCONFIG with tmloadcf\n");
		return 0;
	}
	lmid = access(machine, F_OK) == 0 ? load_read("dmloadcf", machine) : NULL;
	f.ubb = ubb;
	f.machine = lmid != NULL && *lmid != '\0' ? lmid : NULL;
	if (load_make(&f) != 0)
		return 1;
	fprintf(stderr, "A domain that runs has its links, and its number, after "
			"tmshutdown and tmboot\n");
	return 0;
}

/* Standard input can be read once: `path` becomes a file with the text, until
 * this process ends. */
static int keep(const char *text, char path[64])
{
	int fd = memfd_create("dmconfig", MFD_CLOEXEC);

	snprintf(path, 64, "/proc/%d/fd/%d", (int)getpid(), fd);
	if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text))
		return 0;
	fprintf(stderr, "dmloadcf: standard input cannot be kept: %s\n",
		strerror(errno));
	return -1;
}

static int load(const char *file, bool sure)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = load_read("dmloadcf", file);
	char copy[PATH_MAX], question[PATH_MAX + 64], kept[64];

	if (text != NULL && strcmp(file, "-") == 0) {
		if (keep(text, kept) < 0)
			return 1;
		file = kept;
	}
	if (text == NULL || check(file, on_line) != 0 ||
	    load_folder("dmloadcf") < 0)
		return 1;
	snprintf(question, sizeof(question),
		 "Initialize BDMCONFIG file: %s [y, q] ? ",
		 ow_env_str("BDMCONFIG", site_name()));
	if (!sure && !run_ask(question))
		return 1;
	site_path("dmloadcf", "conf/dmconfig", copy, sizeof(copy));
	if (make(file) != 0 || load_write("dmloadcf", copy, text) < 0)
		return 1;
	return write_bdmconfig(copy) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	bool checks = false, sure = false;
	int c;

	if (ow_about_printed(argc, argv, "dmloadcf", usage))
		return 0;
	while ((c = getopt(argc, argv, "ncyb:h")) != -1) {
		checks = checks || c == 'n' || c == 'c';
		sure = sure || c == 'y';
		if (c == 'h' || c == '?') {
			usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (optind + 1 != argc) {
		usage(stderr);
		return 2;
	}
	return checks ? check(argv[optind], NULL)
		      : load(argv[optind], sure);
}
