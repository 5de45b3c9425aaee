/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing.c - one listing, as columns for people or as JSON or CSV for programs
 */
#include "clients/xadmin/output/listing.h"

#include <errno.h>
#include <string.h>

int ow_listing_begin(struct ow_listing *l, const struct ow_form *form,
		     const struct ow_column *columns)
{
	struct ow_term term = form->term;

	memset(l, 0, sizeof(*l));
	if (form->narrow)
		term.columns = 1; /* nothing fits: the minimum widths */
	if (form->json) {
		l->out.out = stdout;
		l->out.as_csv = form->csv;
		l->json = &l->out;
		ow_json_list_begin(l->json, NULL);
		return 0;
	}
	if (columns == NULL)
		return 0;
	l->grid = ow_grid_new(columns, &term, form->wide);
	return l->grid != NULL ? 0 : -ENOMEM;
}

void ow_listing_end(struct ow_listing *l)
{
	if (l->json != NULL)
		ow_json_list_end(l->json);
	if (l->grid != NULL)
		ow_grid_print(l->grid);
	l->grid = ow_grid_free(l->grid);
	l->json = NULL;
}
