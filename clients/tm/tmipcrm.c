/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmipcrm.c - tmipcrm: remove what a domain has left in shared memory and queues
 *
 * A front of `xadmin down`, which ends processes of the domain that still run. Exit
 * status 0: nothing is left; 1: something is, or it was not wanted; 2: wrong usage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/tm/run.h"
#include "clients/tm/site.h"
#include "libatmi/base/env.h"
#include "libubf/base/about.h"

static void usage(FILE *out)
{
	fputs("usage: tmipcrm [-y] [-n] [-i] [-d] [tuxconfig]\n"
	      "Remove shared memory, queues and processes of the application that "
	      "TUXCONFIG names,\nwhatever state it is in. Durable queues and logs "
	      "of transactions stay.\n"
	      "  -y  do not ask\n"
	      "  -n  show what is wrong with it, remove nothing\n"
	      "  -i, -d  taken without effect\n",
	      out);
}

/* A file that is named is the one of TUXCONFIG. */
static bool is_ours(const char *path)
{
	const char *ours = site_name();

	if (ours != NULL && strcmp(path, ours) == 0)
		return true;
	fprintf(stderr, "tmipcrm: %s: set TUXCONFIG to it\n", path);
	return false;
}

/* Does TUXCONFIG name the application? */
static bool is_tuxedo(void)
{
	const char *name = ow_env_str("TUXCONFIG", NULL);

	return name != NULL && strcmp(name, site_name()) == 0 &&
	       ow_env_str("NDRX_QPREFIX", NULL) == NULL;
}

int main(int argc, char **argv)
{
	static const char *const look[] = { "xadmin", "doctor", NULL };
	static const char *const down[] = { "xadmin", "down", "-y", NULL };
	bool sure = false, looks = false;
	int c;

	if (ow_about_printed(argc, argv, "tmipcrm", usage))
		return 0;
	while ((c = getopt(argc, argv, "yndih")) != -1) {
		sure = sure || c == 'y';
		looks = looks || c == 'n';
		if (c == 'h' || c == '?')
			usage(c == 'h' ? stdout : stderr);
		if (c == 'h' || c == '?')
			return c == 'h' ? 0 : 2;
	}
	if (optind < argc && !is_ours(argv[optind]))
		return 1;
	/* Scripts run it before they load the configuration. */
	if (is_tuxedo() && access(site_name(), F_OK) != 0) {
		printf("tmipcrm: %s is not there: nothing to remove\n",
		       site_name());
		return 0;
	}
	if (looks)
		return run_program(look, NULL, NULL) == 0 ? 0 : 1;
	if (!sure && !run_ask("Remove all of the application [y, q] ? "))
		return 1;
	return run_program(down, NULL, NULL) == 0 ? 0 : 1;
}
