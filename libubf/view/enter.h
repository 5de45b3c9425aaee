/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enter.h - find the view or member that a Bv... function is given
 */
#ifndef OW_VIEW_ENTER_H
#define OW_VIEW_ENTER_H

#include "libubf/viewdef/def.h"

struct ow_view_at {
	const struct ow_view *view;
	struct ow_view_col *col;
	char *cs;
};

/* Clear Berror and find a view: 0, or -1 with Berror set. */
int ow_view_enter(const char *view, const struct ow_view **ret_view);
/* The same for a member of a structure. */
int ow_view_enter_member(char *cstruct, const char *view, const char *cname,
			 struct ow_view_at *ret_at);

#endif
