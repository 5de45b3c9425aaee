/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.h - one listing, as columns for people or as JSON or CSV for programs
 *
 * A command begins a listing, gives either cells (grid.h) or members (json.h)
 * for each row, and ends it. A grid prints its rows at the end, when the
 * widths are known.
 */
#ifndef OW_LISTING_H
#define OW_LISTING_H

#include "clients/xadmin/output/grid.h"
#include "clients/xadmin/output/json.h"

/* The form that the user asked for. */
struct ow_form {
	bool json; /* for programs: as JSON, or as CSV */
	bool csv;  /* ... as CSV */
	bool wide; /* cut no name, whatever the terminal's width */
	bool narrow; /* cut every name to its column, whatever the width */
	struct ow_term term;
};

struct ow_listing {
	struct ow_json out;
	struct ow_json *json; /* NULL: for people */
	struct ow_grid *grid; /* NULL: for programs */
};

/* 0, or -ENOMEM. Columns: grid.h; NULL when people get no columns, then
 * neither `grid` nor `json` is set for them. */
int ow_listing_begin(struct ow_listing *l, const struct ow_form *form,
		     const struct ow_column *columns);
void ow_listing_end(struct ow_listing *l);

#endif
