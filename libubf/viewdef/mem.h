/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - members of a structure in memory
 *
 * The structure is the user's, or came in a message: whatever its count and
 * length members say, nothing outside of a member is touched. Occurrences
 * handed in are below the column's count. Alignment of the structure does not
 * matter.
 */
#ifndef OW_UBF_VIEW_MEM_H
#define OW_UBF_VIEW_MEM_H

#include "libubf/convert/val.h"
#include "libubf/viewdef/def.h"

/* What the count member says; the column's count where there is none. */
long ow_view_claimed(const struct ow_view_col *c, const char *cs);
/* The same, kept within 0 and the column's count. */
uint32_t ow_view_used(const struct ow_view_col *c, const char *cs);
void ow_view_set_used(const struct ow_view_col *c, char *cs, uint32_t n);
/* Elements without the null ones at the end. */
uint32_t ow_view_real(const struct ow_view_col *c, const char *cs);
/* Whether an element is null; so are those beyond the count member. */
int ow_view_is_null(const struct ow_view_col *c, const char *cs,
		    uint32_t occ);
/* An element as a value; its type is the column's, but for a string without
 * a NUL, which is given as a carray. */
struct ow_ubf_val ow_view_value(const struct ow_view_col *c, const char *cs,
				uint32_t occ, unsigned int *ret_type);
/* Convert a value and store it, with its length member. 0, -ENOSPC (does not
 * fit: nothing is changed), -EOPNOTSUPP, -EPROTOTYPE. */
int ow_view_store(const struct ow_view_col *c, char *cs, uint32_t occ,
		  unsigned int type, struct ow_ubf_val v);
void ow_view_store_null(const struct ow_view_col *c, char *cs, uint32_t occ);
/* All elements null, none in use. */
void ow_view_init_member(const struct ow_view_col *c, char *cs);
/* Copy a structure; what is between members and behind strings becomes 0. */
void ow_view_copy_clean(const struct ow_view *v, char *to, const char *from);
/* -1, 0 or 1: by members, their elements in use, then their number. */
int ow_view_compare(const struct ow_view *v, const char *a, const char *b);

#endif
