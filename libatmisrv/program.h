/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - call what the program has given: with its pointer, or without
 */
#ifndef OW_PROGRAM_H
#define OW_PROGRAM_H

#include <stdbool.h>
#include <xatmi.h>

struct ow_program;

/* tpsvrinit() or its like: negative if the server must not start. */
bool ow_program_has_init(const struct ow_program *p);
int ow_program_init(const struct ow_program *p, int argc, char **argv);
void ow_program_done(const struct ow_program *p);
/* Of a dispatch thread. Of the `main` one not where it is the same function as
 * that of the process. */
int ow_program_thrinit(const struct ow_program *p, bool main, int argc,
		       char **argv);
void ow_program_thrdone(const struct ow_program *p, bool main);

/* The service function of services that have a pointer of the program. */
void ow_program_serves(TPSVCINFO *info);

#endif
