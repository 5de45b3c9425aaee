/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - write a view as a C structure, as compiled text or as its source
 */
#ifndef VIEWC_WRITE_H
#define VIEWC_WRITE_H

#include <stdio.h>

#include "libubf/viewdef/def.h"

/* Write the structure. Errors are left in the stream (ferror()). */
void write_struct(FILE *out, const struct ow_view *v);
/* Write the lines of a .V file. */
void write_compiled(FILE *out, const struct ow_view *v);
/* Write the lines of a view file, with the offsets as comments. */
void write_source(FILE *out, const struct ow_view *v);

#endif
