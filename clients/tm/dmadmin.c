/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dmadmin.c - dmadmin: shows the nodes that bridges connect to this domain
 *
 * printdomain is `xadmin pnet`. Exit status 1 for every other command but quit and
 * help: nothing was done.
 */
#include <stdio.h>
#include <string.h>

#include "clients/tm/run.h"
#include "libubf/base/about.h"

static void usage(FILE *out)
{
	fputs("usage: dmadmin\n"
	      "printdomain (pd) shows the nodes that bridges connect to this "
	      "domain; help, quit.\nxadmin and its manual ndrxbridge(8) have "
	      "the rest.\n",
	      out);
}

/* The name and any -d DOMAIN behind it: the list is short. */
static int is_printdomain(const char *line)
{
	size_t n = strcspn(line, " \t");

	return (n == 2 && strncmp(line, "pd", n) == 0) ||
	       (n == 11 && strncmp(line, "printdomain", n) == 0);
}

int main(int argc, char **argv)
{
	static const char *const nodes[] = { "xadmin", "pnet", NULL };
	char line[1024];
	int status = 0;

	if (ow_about_printed(argc, argv, "dmadmin", usage))
		return 0;
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		if (strcmp(line, "q") == 0 || strcmp(line, "quit") == 0)
			break;
		if (strcmp(line, "h") == 0 || strcmp(line, "help") == 0) {
			usage(stdout);
		} else if (is_printdomain(line)) {
			status = run_program(nodes, NULL, NULL) == 0 ? 0 : 1;
		} else if (line[0] != '\0') {
			fprintf(stderr, "dmadmin: %s: not here; domains are "
					"connected by bridges: `man "
					"ndrxbridge`\n", line);
			status = 1;
		}
	}
	return status;
}
