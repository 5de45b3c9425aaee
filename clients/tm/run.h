/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - run a program of this installation, and read what it prints
 *
 * The one in the folder of the running program, else the one in PATH.
 */
#ifndef OW_TM_RUN_H
#define OW_TM_RUN_H

#define RUN_WORDS 16384 /* of 8,190 servers */

/* One line of output, without its end. */
typedef void run_line_fn(const char *line, void *arg);

/* Run to the end; `words` begins with the name of the program and ends with
 * NULL. `fn` gets standard output and standard error line by line; NULL:
 * both go where ours go. The exit status; 127: it could not be started. */
int run_program(const char *const *words, run_line_fn *fn, void *arg);
/* What it prints on standard output, or NULL: it failed. The caller frees. */
char *run_text(const char *const *words);
/* Ask; true: the answer begins with y. */
int run_ask(const char *question);

#endif
