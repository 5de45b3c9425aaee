/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cobol.h - write a view as a COPY file of COBOL
 */
#ifndef VIEWC_COBOL_H
#define VIEWC_COBOL_H

#include <stdio.h>

#include "libubf/viewdef/def.h"

#define COBOL_NAME_MAX 30

/* The name in upper case, with - for _: 0, or -1 if COBOL has none so long. */
int cobol_name(const char *name, char ret_name[COBOL_NAME_MAX + 1]);
/* Write the members, with FILLERs where the structure has gaps. NULL, or the
 * member whose name is too long. Errors are left in the stream (ferror()). */
const char *cobol_write(FILE *out, const struct ow_view *v, const char *file);

#endif
