/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - run the command that a line names
 */
#ifndef OW_RUN_H
#define OW_RUN_H

struct ow_xadmin;

/* Run one command; argv[0] is its name. Its exit code. */
int ow_run_command(struct ow_xadmin *x, int argc, char **argv);
/* The same for a guest (x->right): in front of the name stands its terminal,
 * as guest.c writes it. */
int ow_run_for_guest(struct ow_xadmin *x, int argc, char **argv);
/* Split a line (ow_args_split()) and run the command; an empty line does
 * nothing. */
int ow_run_line(struct ow_xadmin *x, const char *line);

#endif
