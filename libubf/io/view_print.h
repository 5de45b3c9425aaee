/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_print.h - the members of a structure as lines of text
 */
#ifndef OW_UBF_VIEW_PRINT_H
#define OW_UBF_VIEW_PRINT_H

#include "libubf/io/printer.h"

struct ow_view;

/* Print one line per element in use: 0 or -errno. */
int ow_printer_view(struct ow_printer *p, const struct ow_view *v,
		    const char *cs);

#endif
