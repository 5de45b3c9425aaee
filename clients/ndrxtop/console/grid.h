/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid.h - the rows of a screen as the user wants them
 *
 * Filter, order, selection and scrolling, and which columns fit. Knows no
 * terminal. The selection sticks to a thing, not to a line: once the user has
 * moved it, it stays with its row wherever the order takes that row.
 */
#ifndef OW_GRID_H
#define OW_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "clients/ndrxtop/console/screen.h"

#define OW_GRID_COLUMNS 24

/* Only what belongs to this; 0: everything. */
struct ow_scope {
	uint32_t svc;	/* 1 + index of a service */
	uint32_t srvid;
};

/* Rows are those of the model: valid as long as these. */
struct ow_grid {
	const struct ow_screen *screen;
	int sort; /* column */
	bool rising;
	char filter[64]; /* words; each must occur */
	struct ow_scope scope;
	const struct ow_row **rows;
	size_t n, room;
	size_t all; /* before filtering */
	size_t at;  /* selected */
	size_t top; /* first one visible */
	bool moved; /* the user chose the selected row */
	uint64_t key;
};

/* Where a column stands on the screen. */
struct ow_place {
	int column, x, width;
};

void ow_grid_start(struct ow_grid *g, enum ow_screen_id id);
void ow_grid_clear(struct ow_grid *g);

/* New rows: 0 or -ENOMEM (then there are none). */
int ow_grid_fill(struct ow_grid *g, const struct ow_row *const *rows,
		 size_t n);
/* Order by another column; by the same one: turn the order around. */
void ow_grid_sort(struct ow_grid *g, int column);
/* Select: by so many rows, or the row `to`. */
void ow_grid_move(struct ow_grid *g, long by);
void ow_grid_select(struct ow_grid *g, size_t to);
/* Have the selected row visible among `lines`. */
void ow_grid_scroll(struct ow_grid *g, size_t lines);
/* The selected row, NULL: there is none. */
const struct ow_row *ow_grid_selected(const struct ow_grid *g);

/* The columns that fit `width`; their number. */
int ow_grid_layout(const struct ow_grid *g, int width,
		   struct ow_place places[OW_GRID_COLUMNS]);

#endif
