/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid.h - a listing as columns of text
 *
 * Header and ruler go to stderr, rows to stdout: scripts depend on it. A
 * column is at least as wide as its minimum width; a growing column is as
 * wide as its longest value, so that no name is cut. On a terminal too narrow
 * for the line, growing columns are cut again, the widest first, down to the
 * minimum; a cut value ends in '+'. --wide cuts nothing.
 */
#ifndef OW_GRID_H
#define OW_GRID_H

#include <stdbool.h>

#include "clients/xadmin/output/term.h"

enum ow_column_flag {
	OW_COLUMN_RIGHT = 1, /* adjusted to the right */
	OW_COLUMN_GROWS = 2, /* holds names: as wide as the longest */
};

struct ow_column {
	const char *head; /* NULL ends the columns */
	int width;	  /* the minimum */
	unsigned int flags;
};

struct ow_grid;

/* NULL: no memory. The columns are kept by reference. */
struct ow_grid *ow_grid_new(const struct ow_column *columns,
			    const struct ow_term *term, bool wide);
struct ow_grid *ow_grid_free(struct ow_grid *g);

/* Add the next cell of the row. When memory runs out, the cell is empty. */
void ow_grid_cell(struct ow_grid *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Set the colour of the last cell. */
void ow_grid_paint(struct ow_grid *g, enum ow_colour colour);
/* End the row; missing cells are empty. */
void ow_grid_end_row(struct ow_grid *g);

void ow_grid_print(const struct ow_grid *g);

#endif
