/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.h - a view as the value of a field
 *
 * In a buffer the value is this head and then the bytes of the structure,
 * without what lies between members and behind strings. A program gives and
 * gets a BVIEWFLD. The value with no name and no bytes is the default one.
 *
 * A value may name a view that this process does not know: then it is carried
 * along, and its bytes mean nothing. A value whose view is known has the size
 * and checksum of the view: ow_ubf_check() sees to it when a buffer comes in,
 * ow_ubf_view_open() again when the value is taken out, as views may have been
 * loaded in between.
 */
#ifndef OW_UBF_VIEW_FIELD_H
#define OW_UBF_VIEW_FIELD_H

#include <stdint.h>
#include <ubf.h>

#include "libubf/convert/val.h"

struct ow_view;

struct ow_ubf_view {
	char name[40];	/* NUL terminated */
	uint32_t vflags;
	uint32_t cksum;	/* of the view */
};

_Static_assert(sizeof(struct ow_ubf_view) == 48, "the head is 48 bytes");

/* The caller's BVIEWFLD as one block: *ret_copy is malloc'ed. 0, -EINVAL,
 * -ENOMEM, -ENXIO (no such view). */
int ow_ubf_view_gather(const BVIEWFLD *f, void **ret_copy,
		       struct ow_ubf_val *ret_val);
/* Bytes of the structure in a value. */
static inline size_t ow_ubf_view_len(struct ow_ubf_val v)
{
	return v.len - sizeof(struct ow_ubf_view);
}
/* Foreign bytes: 0, or -EBADMSG when they are no such value. */
int ow_ubf_view_check(struct ow_ubf_val v);
/* A BVIEWFLD whose data points into the value: 0, or -ENXIO when the value
 * does not agree with its view. *ret_view NULL: no view, or an unknown one. */
int ow_ubf_view_open(struct ow_ubf_val v, BVIEWFLD *ret_field,
		     const struct ow_view **ret_view);
/* Copy to the caller's BVIEWFLD and to the memory its data points to, of
 * *buflen bytes (NULL: enough). 0, -ENOSPC, -EINVAL (no memory), -ENXIO. */
int ow_ubf_view_export(struct ow_ubf_val v, BVIEWFLD *to, BFLDLEN *buflen);
/* -1, 0 or 1: by name, then member by member, or by bytes when unknown. */
int ow_ubf_view_compare(struct ow_ubf_val a, struct ow_ubf_val b);

#endif
