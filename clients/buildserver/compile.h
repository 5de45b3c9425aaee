/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.h - what buildserver, buildclient and buildtms have in common: the options,
 * and the run of the compiler
 *
 * The compiler is $CC (cc) with the words of $CFLAGS. Headers and libraries are
 * those of the installation that the program is part of; for one that runs
 * elsewhere those of $TUXDIR, or of $NDRX_HOME.
 */
#ifndef OW_BUILD_COMPILE_H
#define OW_BUILD_COMPILE_H

#include <stdbool.h>

#include "clients/buildserver/words.h"

struct build {
	const char *program; /* for messages */
	const char *out;     /* -o */
	const char *rm;	     /* -r, -g: a resource manager; NULL: none */
	bool makes_main;     /* so its switch can be built in */
	bool needs_switch;   /* it is nothing without one */
	char rm_switch[64];  /* that switch; "": none */
	struct words first, last; /* -f, -l */
	bool verbose;		  /* -v */
	bool keep;		  /* -k */
};

/* Take an option that all of them know: 0; 1: it is none of them; -1 after a
 * message. */
int build_option(struct build *b, int letter, const char *value);
/* What the RM file says of -r: its switch, and its libraries, which are added to
 * the last files. 0; -1 after a message. */
int build_resource_manager(struct build *b);
/* Compile `stub` (NULL: none) with the first files, link it with the libraries
 * `libs`, and the last files. The exit status: 0 or 1. */
int build_run(struct build *b, const char *stub, const char *libs);
void build_free(struct build *b);

#endif
