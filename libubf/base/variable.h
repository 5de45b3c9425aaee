/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variable.h - the environment's one door
 *
 * Whoever starts a set-user-ID program (or one with capabilities: AT_SECURE)
 * chooses its environment, and has fewer rights than it. Such a program gets
 * the variables of a short list only (variable.c): none of them names a file, a
 * folder, a program, a library or a user. All others are as if they were not
 * set, so it loads no plugin and no driver, and writes no log, that its caller
 * names. Settings that it needs nevertheless it gives itself, by calls
 * (tplogconfig(), tpopen() with a linked switch) or not at all.
 *
 * Nothing else calls getenv(): tests/arch/environment.py.
 */
#ifndef OW_VARIABLE_H
#define OW_VARIABLE_H

#include <stdbool.h>

/* Its value, as getenv() gives it; NULL: it is not set, or not honoured. */
const char *ow_variable(const char *name);
/* What the program itself asks for, by tuxgetenv(): as getenv(). */
char *ow_variable_of_program(const char *name);
/* Has this program rights that its caller does not have? */
bool ow_variable_is_elevated(void);

#endif
