/* SPDX-License-Identifier: Apache-2.0 */
/*
 * masked.h - what may be a secret is not shown to who may only look
 *
 * Open strings of databases, urls with passwords and variables are in
 * configurations and command lines, so listings show them: to the domain's
 * user. For others (doc/design/trust.md, "Operators") values are replaced with
 * "***": by name (of an element or variable), and by pattern in any text.
 */
#ifndef OW_MASKED_H
#define OW_MASKED_H

#include <stdbool.h>
#include <sys/types.h>

#define OW_MASKED "***"

/* Is the value of an element, option or variable of this name a secret? */
bool ow_masked_name(const char *name);
/*
 * The text with secrets replaced: NAME=VALUE, NAME = 'VALUE' and --NAME VALUE of
 * such names, <env name="NAME">VALUE<, //USER:PASSWORD@, Acc=P/USER/PASSWORD.
 * The caller frees it; NULL: no memory.
 */
char *ow_masked(const char *text);

/* ndrxd sets this variable to 1 in the environment of a process whose command
 * line has decrypted values (${dec=...}). */
#define OW_MASKED_WORDS "NDRX_HIDDENWORDS"
/* Is it such a process? Then its program may be shown, its other words not.
 * True where its environment cannot be read, or has just gone with it. */
bool ow_masked_words(pid_t pid);

#endif
