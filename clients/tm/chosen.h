/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen.h - the command line of tmboot and tmshutdown: which processes
 *
 * Both take -A and -M (the supervisor), -S (the servers), -s, -g and -i (some
 * servers) and -y (do not ask); the rest is the program's own.
 */
#ifndef OW_TM_CHOSEN_H
#define OW_TM_CHOSEN_H

#include <stdbool.h>
#include <stdio.h>

#include "clients/tm/run.h"

#define CHOSEN_FIRST 3 /* words before the options */

struct chosen {
	bool admin, servers, sure;
	/* For xadmin; more than CHOSEN_FIRST: servers were selected. */
	const char *words[RUN_WORDS];
	int n;
};

struct chosen_program {
	const char *name;
	const char *options; /* for getopt(); h is help */
	void (*usage)(FILE *out);
	/* An option of its own, with optarg: 0, or -1 after a message. */
	int (*take)(void *arg, int option);
	void *arg;
};

/* Read the command line. -1: go on; else the exit status. */
int chosen_read(struct chosen *c, const struct chosen_program *p, int argc,
		char **argv);
/* Add a selection, such as "-s" and a program. False: there is no room. */
bool chosen_add(struct chosen *c, const char *option, const char *value);

#endif
