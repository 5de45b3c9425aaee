/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c - the members of a view in a field, for expressions
 *
 * The count member tells how many occurrences are present. A null element is
 * present, with its null value, as for CBvget().
 */
#include "libubf/expr/path.h"

#include <errno.h>

#include "libubf/viewdef/field.h"
#include "libubf/viewdef/mem.h"

int ow_expr_view_member(struct ow_ubf_val view, const char *cname, BFLDOCC occ,
			unsigned int *ret_type, struct ow_ubf_val *ret_value)
{
	const struct ow_view *def = NULL;
	const struct ow_view_col *col;
	BVIEWFLD f;

	if (ow_ubf_view_open(view, &f, &def) < 0 || def == NULL)
		return -ENOENT;
	col = ow_view_column(def, cname);
	if (col == NULL || occ < 0 ||
	    (uint32_t)occ >= ow_view_used(col, f.data))
		return -ENOENT;
	*ret_value = ow_view_value(col, f.data, (uint32_t)occ, ret_type);
	return 0;
}
