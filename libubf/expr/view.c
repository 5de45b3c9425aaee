/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c - the members of a view, in a field or alone, for expressions
 *
 * The count member tells how many occurrences are present. A null element is
 * present, with its null value, as for CBvget().
 */
#include "libubf/expr/path.h"

#include <errno.h>

#include "libubf/viewdef/field.h"
#include "libubf/viewdef/mem.h"

int ow_expr_view_element(const struct ow_view *view, const char *cs,
			 const char *cname, BFLDOCC occ,
			 unsigned int *ret_type, struct ow_ubf_val *ret_value)
{
	const struct ow_view_col *col = ow_view_column(view, cname);

	if (col == NULL || occ < 0 || (uint32_t)occ >= ow_view_used(col, cs))
		return -ENOENT;
	*ret_value = ow_view_value(col, cs, (uint32_t)occ, ret_type);
	return 0;
}

int ow_expr_view_member(struct ow_ubf_val view, const char *cname, BFLDOCC occ,
			unsigned int *ret_type, struct ow_ubf_val *ret_value)
{
	const struct ow_view *def = NULL;
	BVIEWFLD f;

	if (ow_ubf_view_open(view, &f, &def) < 0 || def == NULL)
		return -ENOENT;
	return ow_expr_view_element(def, f.data, cname, occ, ret_type,
				    ret_value);
}
