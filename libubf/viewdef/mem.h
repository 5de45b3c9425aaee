/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - members of a structure in memory
 *
 * The structure belongs to the program or came in a message: whatever its count
 * and length members hold, no byte outside of a member is touched. `occ` must
 * be below the column's count. The structure need not be aligned.
 */
#ifndef OW_UBF_VIEW_MEM_H
#define OW_UBF_VIEW_MEM_H

#include "libubf/convert/val.h"
#include "libubf/viewdef/def.h"

/* The value of the count member; the column's count if it has none. */
long ow_view_claimed(const struct ow_view_col *c, const char *cs);
/* The same, limited to 0..count of the column. */
uint32_t ow_view_used(const struct ow_view_col *c, const char *cs);
void ow_view_set_used(const struct ow_view_col *c, char *cs, uint32_t n);
/* Number of elements in use without the null ones at the end. */
uint32_t ow_view_real(const struct ow_view_col *c, const char *cs);
/* Whether an element is null; elements beyond the count member are. */
int ow_view_is_null(const struct ow_view_col *c, const char *cs,
		    uint32_t occ);
/* An element as a value of the column's type; a string without a NUL is given
 * as a carray. */
struct ow_ubf_val ow_view_value(const struct ow_view_col *c, const char *cs,
				uint32_t occ, unsigned int *ret_type);
/* Convert a value and store it, with its length member. 0, -ENOSPC (it does not
 * fit, nothing is changed), -EOPNOTSUPP, -EPROTOTYPE. */
int ow_view_store(const struct ow_view_col *c, char *cs, uint32_t occ,
		  unsigned int type, struct ow_ubf_val v);
/* The length member of a carray, which may be above its size; the size if it
 * has none. */
uint32_t ow_view_length(const struct ow_view_col *c, const char *cs,
			uint32_t occ);
/* Set the length member of a string, if it has one, to what the string has. */
void ow_view_measure(const struct ow_view_col *c, char *cs, uint32_t occ);
/* The length member of a null value is that of the null value. */
void ow_view_store_null(const struct ow_view_col *c, char *cs, uint32_t occ);
/* Set all elements to null and the count member to 0. */
void ow_view_init_member(const struct ow_view_col *c, char *cs);
/* Copy a structure; bytes between members and behind strings become 0. */
void ow_view_copy_clean(const struct ow_view *v, char *to, const char *from);
/* -1, 0 or 1: member by member, by the elements in use, then their number. */
int ow_view_compare(const struct ow_view *v, const char *a, const char *b);

#endif
