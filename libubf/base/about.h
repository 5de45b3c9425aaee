/* SPDX-License-Identifier: Apache-2.0 */
/*
 * about.h - --help and --version, which every program has
 */
#ifndef OW_ABOUT_H
#define OW_ABOUT_H

#include <stdio.h>
#include <string.h>

#include <ndrx_config.h>

enum ow_about {
	OW_ABOUT_NONE,	  /* the command line has something else first */
	OW_ABOUT_HELP,	  /* the caller prints its help */
	OW_ABOUT_VERSION, /* was printed */
};

/* Is the first argument --help or --version? */
static inline enum ow_about ow_about(int argc, char *const *argv,
				     const char *program)
{
	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return OW_ABOUT_HELP;
	if (argc < 2 || strcmp(argv[1], "--version") != 0)
		return OW_ABOUT_NONE;
	printf("%s (Onewake) %s\n", program, NDRX_VERSION);
	return OW_ABOUT_VERSION;
}

#endif
