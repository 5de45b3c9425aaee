/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - write a view as a C structure or as compiled text
 */
#ifndef VIEWC_WRITE_H
#define VIEWC_WRITE_H

#include <stdio.h>

#include "libubf/viewdef/def.h"

/* Write the structure. Errors are left in the stream (ferror()). */
void write_struct(FILE *out, const struct ow_view *v);
/* Write the lines of a .V file; without fields if not `mapped`. */
void write_compiled(FILE *out, const struct ow_view *v, int mapped);

#endif
