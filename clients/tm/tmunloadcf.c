/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmunloadcf.c - tmunloadcf: print the UBBCONFIG that tmloadcf loaded
 *
 * Exit status 0: printed; 1: there is none; 2: wrong usage.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "clients/tm/site.h"
#include "libubf/base/about.h"

static void usage(FILE *out)
{
	fputs("usage: tmunloadcf\n"
	      "Print the configuration that tmloadcf made TUXCONFIG of.\n",
	      out);
}

int main(int argc, char **argv)
{
	char path[PATH_MAX], block[8192];
	size_t n;
	FILE *f;

	if (ow_about_printed(argc, argv, "tmunloadcf", usage))
		return 0;
	if (argc > 1) {
		usage(stderr);
		return 2;
	}
	if (site_path("tmunloadcf", "conf/ubbconfig", path, sizeof(path)) < 0)
		return 1;
	f = fopen(path, "re");
	if (f == NULL) {
		fprintf(stderr, "tmunloadcf: %s: %s\n", path,
			strerror(errno));
		return 1;
	}
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		fwrite(block, 1, n, stdout);
	fclose(f);
	return fflush(stdout) == 0 ? 0 : 1;
}
