/* SPDX-License-Identifier: Apache-2.0 */
/*
 * about.h - --help and --version, which every program has
 */
#ifndef OW_ABOUT_H
#define OW_ABOUT_H

#include <stdbool.h>
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

/* The same, and the help is printed, too: true, the program is to end. */
static inline bool ow_about_printed(int argc, char *const *argv,
				    const char *program,
				    void (*usage)(FILE *out))
{
	enum ow_about about = ow_about(argc, argv, program);

	if (about == OW_ABOUT_HELP)
		usage(stdout);
	return about != OW_ABOUT_NONE;
}

/* The same of a program whose help is a text. */
static inline bool ow_about_text(int argc, char *const *argv,
				 const char *program, const char *help)
{
	enum ow_about about = ow_about(argc, argv, program);

	if (about == OW_ABOUT_HELP)
		fputs(help, stdout);
	return about != OW_ABOUT_NONE;
}

#endif
