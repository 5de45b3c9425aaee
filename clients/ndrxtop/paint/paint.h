/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paint.h - draw the console with curses
 *
 * From top to bottom: domain and time; figures of the domain; screens; the
 * worst alarm; titles of columns; rows; keys. curses sends only changes.
 */
#ifndef OW_PAINT_H
#define OW_PAINT_H

#include <stdbool.h>

#include "clients/ndrxtop/console/console.h"
#include "clients/ndrxtop/paint/style.h"

#define OW_LINES_MIN 8
#define OW_COLUMNS_MIN 40

/* The places of things on the screen, for the mouse. */
struct ow_layout {
	int tab_line, head_line, first_row;
	size_t rows; /* lines of rows */
	struct {
		int x, width;
	} tabs[OW_SCREEN_OFFERS];
	struct ow_place places[OW_GRID_COLUMNS];
	int n_places;
};

/* Draw the whole screen. */
void ow_paint(struct ow_console *c, struct ow_layout *ret);

/* popup.c: draw the popup, if there is one. */
void ow_paint_popup(struct ow_console *c);

#endif
