/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - a UBF buffer in a file, in one of three forms
 *
 * text: as Bfprint() writes it; json: as tpubftojson() does; binary: as
 * Bwrite() does. "-" is the standard input or output.
 */
#ifndef OW_UBF_COMMAND_FILE_H
#define OW_UBF_COMMAND_FILE_H

#include <ubf.h>

enum form { FORM_AUTO, FORM_TEXT, FORM_JSON, FORM_BINARY, FORM_UNKNOWN };

/* The form of that name, FORM_UNKNOWN if there is none. */
enum form form_by_name(const char *name);

/* Read a file; FORM_AUTO detects the form. NULL after a message; else the
 * caller must Bfree() the buffer. */
UBFH *file_load(const char *path, enum form form);
/* Write a file; 0, or -1 after a message. */
int file_store(UBFH *ub, const char *path, enum form form);

#endif
