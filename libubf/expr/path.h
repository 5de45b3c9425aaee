/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.h - from a buffer along NAME[1].NAME[?] to values
 */
#ifndef OW_UBF_EXPR_PATH_H
#define OW_UBF_EXPR_PATH_H

#include "libubf/expr/value.h"

/* A walk over the occurrences that a path with [?] stands for. */
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
/* The next value: 1, or 0 at the end. A path without [?] has one or none.
 * Buffers and views are values too (of the kind NULL). */
int ow_expr_walk_next(struct ow_expr_walk *w, unsigned int *ret_type,
		      struct ow_ubf_val *ret_value);

/* The member `cname` of a VIEW field's value (see expr/view.c): 0, or -ENOENT
 * if it is not there. */
int ow_expr_view_member(struct ow_ubf_val view, const char *cname, BFLDOCC occ,
			unsigned int *ret_type, struct ow_ubf_val *ret_value);

#endif
