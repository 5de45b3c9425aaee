/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life.h - the life of a server process, from its options to its exit status
 */
#ifndef OW_SERVER_LIFE_H
#define OW_SERVER_LIFE_H

#include <stdbool.h>

/* Callbacks and tables of a program, from main() or _tmstartserver(). */
struct ow_program {
	int (*init)(int, char **);
	void (*done)(void);
	const struct tmdsptchtbl_t *builtin; /* ends with a NULL row, or NULL */
	bool no_longjmp;
};

/* Run the server; returns the exit status. */
int ow_server_run(int argc, char **argv, const struct ow_program *p);

#endif
