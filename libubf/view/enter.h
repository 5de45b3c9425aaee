/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enter.h - the views of this process, and the door of the Bv... functions
 *
 * Loaded from VIEWDIR and VIEWFILES by the first thread that asks, then never
 * changed, so readers need no lock. A load that failed is tried again with the
 * next question.
 */
#ifndef OW_UBF_VIEW_H
#define OW_UBF_VIEW_H

#include "libubf/base/error.h"
#include "libubf/viewdef/def.h"
#include "libubf/viewdef/registry.h"

/* View number n, or NULL: for walks that must not trust a pointer. */
const struct ow_view *ow_view_by_number(uintptr_t n);

/* Clear Berror and find a view: 0, or -1 with Berror set. */
int ow_view_enter(const char *view, const struct ow_view **ret_view);
/* The same for a member of a structure. */
struct ow_view_at {
	const struct ow_view *view;
	struct ow_view_col *col;
	char *cs;
};
int ow_view_enter_member(char *cstruct, const char *view, const char *cname,
			 struct ow_view_at *ret_at);
/* Berror for a result of ow_view_find(); returns -1. */
int ow_view_fail(int r);

#endif
