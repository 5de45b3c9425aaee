/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.h - one listing, for people (grid.h) or for programs (json.h)
 *
 * A command begins a listing, gives either cells or members for each row, and
 * ends it. The rows of a grid come out at the end, when widths are known.
 */
#ifndef OW_LISTING_H
#define OW_LISTING_H

#include "clients/xadmin/output/grid.h"
#include "clients/xadmin/output/json.h"

struct ow_args;

struct ow_listing {
	struct ow_json out;
	struct ow_json *json; /* NULL: for people */
	struct ow_grid *grid; /* NULL: for programs */
};

/* 0, or -ENOMEM. Columns: grid.h. */
int ow_listing_begin(struct ow_listing *l, const struct ow_args *a,
		     const struct ow_column *columns);
void ow_listing_end(struct ow_listing *l);

#endif
