/* SPDX-License-Identifier: Apache-2.0 */
/*
 * null.h - the null column of a view file
 */
#ifndef OW_UBF_VIEW_NULL_H
#define OW_UBF_VIEW_NULL_H

#include "libubf/viewdef/def.h"

/* Parse the text of the null column, with its quotes, for a column whose type
 * and size are known: sets c->null, null_len and null_kind, and null_cut if a
 * text was longer than the member: its first bytes are the value then.
 * 0, -EINVAL (no value of that type), -ENOMEM. */
int ow_view_null_parse(struct ow_view_col *c, const char *text);

#endif
