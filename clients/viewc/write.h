/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - a view as C and as compiled text
 */
#ifndef VIEWC_WRITE_H
#define VIEWC_WRITE_H

#include <stdio.h>

#include "libubf/viewdef/def.h"

/* The structure. Errors of writing stay with the stream. */
void write_struct(FILE *out, const struct ow_view *v);
/* The lines of a .V file; without fields if not `mapped`. */
void write_compiled(FILE *out, const struct ow_view *v, int mapped);

#endif
