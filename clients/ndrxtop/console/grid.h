/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid.h - the rows that a screen shows: filter, order, selection
 *
 * Knows no terminal. Once the user has moved the selection, it stays with its
 * row (by key), wherever the order moves that row.
 */
#ifndef OW_GRID_H
#define OW_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "libndrx/model/screen.h"

#define OW_GRID_COLUMNS 24

/* Only rows of this service or server; 0: all rows. */
struct ow_scope {
	uint32_t svc;	/* 1 + index of a service */
	uint32_t srvid;
};

/* Rows belong to the model and are valid as long as its rows. */
struct ow_grid {
	const struct ow_screen *screen;
	int sort; /* column */
	bool rising;
	char filter[64]; /* words; each must occur */
	struct ow_scope scope;
	const struct ow_row **rows;
	size_t n, allocated;
	size_t all; /* before filtering */
	size_t at;  /* selected */
	size_t top; /* the first visible row */
	bool moved; /* the user has moved the selection */
	uint64_t key;
};

/* The place of a column on the screen. */
struct ow_place {
	int column, x, width;
};

void ow_grid_start(struct ow_grid *g, enum ow_screen_id id);
void ow_grid_clear(struct ow_grid *g);

/* New rows: 0 or -ENOMEM (then there are none). */
int ow_grid_fill(struct ow_grid *g, const struct ow_row *const *rows,
		 size_t n);
/* Order by a column; by the same one again: reverse the order. */
void ow_grid_sort(struct ow_grid *g, int column);
/* Move the selection by some rows, or to a row. */
void ow_grid_move(struct ow_grid *g, long by);
void ow_grid_select(struct ow_grid *g, size_t to);
/* Scroll so that the selected row is among the `lines` visible ones. */
void ow_grid_scroll(struct ow_grid *g, size_t lines);
/* The selected row; NULL: the grid is empty. */
const struct ow_row *ow_grid_selected(const struct ow_grid *g);

/* Choose the columns that fit `width`. Their number. */
int ow_grid_layout(const struct ow_grid *g, int width,
		   struct ow_place places[OW_GRID_COLUMNS]);

#endif
