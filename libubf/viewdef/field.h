/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.h - a view as the value of a field
 *
 * In a buffer the value is this head, then the bytes of the structure; bytes
 * between members and behind strings are zero. Programs use a BVIEWFLD. The
 * default value has no name and no bytes.
 *
 * A value may name a view that this process does not know: it is carried along
 * and its bytes are not interpreted. A value whose view is known has the size
 * and checksum of the view: ow_ubf_check() tests it when a buffer arrives,
 * ow_ubf_view_open() again when the value is read, since views may have been
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

/* Copy the caller's BVIEWFLD and its structure into one block: *ret_copy is
 * malloc'ed. 0, -EINVAL, -ENOMEM, -ENXIO (no such view). */
int ow_ubf_view_gather(const BVIEWFLD *f, void **ret_copy,
		       struct ow_ubf_val *ret_val);
/* Bytes of the structure in a value. */
static inline size_t ow_ubf_view_len(struct ow_ubf_val v)
{
	return v.len - sizeof(struct ow_ubf_view);
}
/* Check foreign bytes: 0, or -EBADMSG if they are no such value. */
int ow_ubf_view_check(struct ow_ubf_val v);
/* Fill in a BVIEWFLD whose data points into the value: 0, or -ENXIO if the
 * value does not have the size and checksum of its view. *ret_view is NULL if
 * there is no view or it is unknown. */
int ow_ubf_view_open(struct ow_ubf_val v, BVIEWFLD *ret_field,
		     const struct ow_view **ret_view);
/* Copy to the caller's BVIEWFLD and to the memory its data points to, *buflen
 * bytes (NULL: large enough). 0, -ENOSPC, -EINVAL (no memory), -ENXIO. */
int ow_ubf_view_export(struct ow_ubf_val v, BVIEWFLD *to, BFLDLEN *buflen);
/* -1, 0 or 1: by name, then by members, or by bytes if the view is unknown. */
int ow_ubf_view_compare(struct ow_ubf_val a, struct ow_ubf_val b);

#endif
