/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printable.h - texts of others, made harmless for a terminal
 *
 * Names of services, queues, programs, fields, nodes and users come from
 * others. Printed as they are, they could move the cursor, change the title,
 * or make lines that look like the program's own. So each control character
 * (C0, DEL, C1) and each byte that is not UTF-8 becomes a question mark. A
 * terminal of 8 bits takes bytes 0x80 to 0x9f as controls, too; within UTF-8
 * they are harmless.
 */
#ifndef OW_PRINTABLE_H
#define OW_PRINTABLE_H

#include <stdio.h>

/* In place: one line, without tabs. */
void ow_printable(char *text);
/* In place: one line, tabs stay. */
void ow_printable_line(char *text);
/* In place: newlines and tabs stay. */
void ow_printable_lines(char *text);
/* As fprintf(); newlines and tabs stay, also those of the arguments. */
void ow_print(FILE *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
