/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dmadmin.c - dmadmin: says that domains are not connected yet
 *
 * Exit status 1 for every command but quit and help: nothing was done.
 */
#include <stdio.h>
#include <string.h>

#include "libubf/base/about.h"

static void usage(FILE *out)
{
	fputs("usage: dmadmin\n"
	      "Domains are not connected yet: there are no remote domains, "
	      "gateways or imported\nservices to show. tmadmin and xadmin show "
	      "this domain.\n",
	      out);
}

int main(int argc, char **argv)
{
	enum ow_about about = ow_about(argc, argv, "dmadmin");
	char line[1024];
	int status = 0;

	if (about == OW_ABOUT_HELP)
		usage(stdout);
	if (about != OW_ABOUT_NONE)
		return 0;
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		if (strcmp(line, "q") == 0 || strcmp(line, "quit") == 0)
			break;
		if (strcmp(line, "h") == 0 || strcmp(line, "help") == 0) {
			usage(stdout);
		} else if (line[0] != '\0') {
			fprintf(stderr, "dmadmin: %s: domains are not "
					"connected yet; tmadmin shows this "
					"one\n", line);
			status = 1;
		}
	}
	return status;
}
