/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chosen.h - the command line of tmboot and tmshutdown: which processes
 *
 * Both take -A and -M (the supervisor), -S (the servers), -s, -g and -i (some
 * servers), -l (a machine, which must be this one), -T (the tmsrv of a group)
 * and -y (do not ask); the rest is the program's own.
 */
#ifndef OW_TM_CHOSEN_H
#define OW_TM_CHOSEN_H

#include <stdbool.h>
#include <stdio.h>

#include "clients/tm/ids.h"
#include "clients/tm/run.h"

#define CHOSEN_FIRST 3 /* words before the options */

struct chosen {
	bool admin, servers, sure;
	/* For xadmin; more than CHOSEN_FIRST: servers were selected. */
	const char *words[RUN_WORDS];
	int n;
	const char *machine; /* -l */
	char ids[RUN_WORDS / 2][24]; /* of chosen_add_id() */
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
/* Does the command line choose the server? Options of one letter are
 * alternatives, those of several letters must all hold; without any: each. */
bool chosen_holds(const struct chosen *c, const struct ids *ids,
		  const char *program, const char *group, long id);
/* Has it -i? */
bool chosen_by_id(const struct chosen *c);
/* Has it to be found out server by server? Else the words are xadmin's, too. */
bool chosen_is_mixed(const struct chosen *c);
/* Drop all selections; the caller adds others. */
void chosen_clear(struct chosen *c);
/* Add a selection, such as "-s" and a program. False: there is no room. */
bool chosen_add(struct chosen *c, const char *option, const char *value);
/* Add -i and an id here. */
bool chosen_add_id(struct chosen *c, long id);

#endif
