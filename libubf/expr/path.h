/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.h - the values of a path NAME[1].NAME[?]
 */
#ifndef OW_UBF_EXPR_PATH_H
#define OW_UBF_EXPR_PATH_H

#include "libubf/expr/value.h"

/* A walk over the values of a path in a buffer. In an expression of a view the
 * "buffer" is the structure, and the path has one name. */
struct ow_expr_walk {
	const struct ow_expr *x;
	const struct ow_expr_node *node;
	const struct Ubfh *h;
	int begun;
	BFLDOCC at[OW_EXPR_PATH_MAX];
};

void ow_expr_walk_start(struct ow_expr_walk *w, const struct ow_expr *x,
			const struct ow_expr_node *node,
			const struct Ubfh *h);
/* The next value: 1, or 0 at the end. A path without [?] has one value or none.
 * Buffers and views count as values. */
int ow_expr_walk_next(struct ow_expr_walk *w, unsigned int *ret_type,
		      struct ow_ubf_val *ret_value);

/* A member of the view in a field (view.c): 0, or -ENOENT if it is not
 * present. */
int ow_expr_view_member(struct ow_ubf_val view, const char *cname, BFLDOCC occ,
			unsigned int *ret_type, struct ow_ubf_val *ret_value);
/* The same for a structure of a view. */
int ow_expr_view_element(const struct ow_view *view, const char *cs,
			 const char *cname, BFLDOCC occ,
			 unsigned int *ret_type, struct ow_ubf_val *ret_value);

#endif
