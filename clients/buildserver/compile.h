/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.h - what buildserver, buildclient and buildtms have in common: the options,
 * the source of a main(), and the run of the compiler
 *
 * The compiler is $CC (cc) with the words of $CFLAGS. Headers and libraries are
 * those of the installation that the program is part of; for one that runs
 * elsewhere those of $TUXDIR, or of $NDRX_HOME.
 */
#ifndef OW_BUILD_COMPILE_H
#define OW_BUILD_COMPILE_H

#include <stdbool.h>
#include <stdio.h>

#include "clients/buildserver/services.h"
#include "clients/buildserver/words.h"

struct build {
	const char *program; /* for messages */
	const char *letters; /* of its options, for getopt() */
	void (*usage)(FILE *out);
	/* Take an option that only this program knows (NULL: there is none): as
	 * build_options(). */
	int (*own)(struct build *b, int letter, const char *value);
	const char *out;     /* -o */
	const char *rm;	     /* -r, -g: a resource manager; NULL: none */
	bool makes_main;     /* so its switch can be built in */
	bool needs_switch;   /* it is nothing without one */
	char rm_switch[64];  /* that switch; "": none */
	struct words first, last; /* -f, -l */
	bool verbose;		  /* -v */
	bool keep;		  /* -k */
};

/* Read the options: 0; 1: wrong ones, and the usage was shown; -1 after another
 * message. -h ends the process. */
int build_options(struct build *b, int argc, char **argv);
/* What the RM file says of -r: its switch, and its libraries, which are added to
 * the last files. 0; -1 after a message. */
int build_resource_manager(struct build *b);
/* Compile `stub` (NULL: none) with the first files, link it with the libraries
 * `libs`, and the last files. The exit status: 0 or 1. */
int build_run(struct build *b, const char *stub, const char *libs);
/* The same, with a main() for these services, whose source is <prefix>-<pid>.c
 * meanwhile. */
int build_with_main(struct build *b, const char *prefix,
		    const struct services *services, int threads,
		    const char *libs);
void build_free(struct build *b);

#endif
