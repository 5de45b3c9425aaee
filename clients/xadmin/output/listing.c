/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.c - one listing, for people or for programs
 */
#include "clients/xadmin/output/listing.h"

#include <errno.h>
#include <string.h>

#include "clients/xadmin/command/command.h"

int ow_listing_begin(struct ow_listing *l, const struct ow_args *a,
		     const struct ow_column *columns)
{
	memset(l, 0, sizeof(*l));
	if (!a->json) {
		l->grid = ow_grid_new(columns, &a->x->term, a->wide);
		return l->grid != NULL ? 0 : -ENOMEM;
	}
	l->out.out = stdout;
	l->out.as_csv = a->csv;
	l->json = &l->out;
	ow_json_list_begin(l->json, NULL);
	return 0;
}

void ow_listing_end(struct ow_listing *l)
{
	if (l->json != NULL)
		ow_json_list_end(l->json);
	else
		ow_grid_print(l->grid);
	l->grid = ow_grid_free(l->grid);
	l->json = NULL;
}
