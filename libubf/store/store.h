/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - change what lies in a buffer, keeping its layout valid
 *
 * Everything that moves bytes of a buffer is here; the public functions find
 * the place and say what to put there. Results are 0 or -errno: -ENOSPC (the
 * buffer is unchanged, though it may have been compacted), -ENOMEM. Values
 * handed in must not lie in the buffer, except where ow_ubf_detach() has been
 * asked.
 */
#ifndef OW_UBF_STORE_H
#define OW_UBF_STORE_H

#include <stddef.h>

#include "libubf/store/layout.h"

/* Directories with not more slots than that are flat. */
#define OW_UBF_FLAT_MAX (2 * OW_UBF_MOVE_MAX)

/* Make room for `k` more entries near rank `at` and for `bytes` of heap. For
 * k > 1 the directory is flat afterwards. */
int ow_ubf_reserve(struct Ubfh *h, uint32_t at, uint32_t k, uint64_t bytes);
/* Open a gap of k entries before rank `at` of a flat directory (reserved
 * before); start[] is the caller's to correct. Returns its first slot. */
uint32_t ow_ubf_gap(struct Ubfh *h, uint32_t at, uint32_t k);
/* Close the slots of k entries of a flat directory; start[] likewise. */
void ow_ubf_close_gap(struct Ubfh *h, uint32_t at, uint32_t k);
/* Remove k entries of one type at `at` with their values. */
void ow_ubf_remove(struct Ubfh *h, uint32_t at, uint32_t k);
/* Make the directory flat, with about `slots` slots, and close the holes of
 * the heap. */
int ow_ubf_compact(struct Ubfh *h, uint32_t slots);
/* Make the directory flat, if it is not: -ENOMEM. */
int ow_ubf_flatten(struct Ubfh *h);
/* Make it paged, with room to grow, leaving `bytes` free: -ENOMEM, -ENOSPC. */
int ow_ubf_paginate(struct Ubfh *h, uint64_t bytes);
/* Compact if holes or free slots have got the upper hand. */
void ow_ubf_tidy(struct Ubfh *h);
/* The number of bytes that always suffice for these contents. */
uint64_t ow_ubf_live(const struct Ubfh *h);
/* Zero the slots of a flat directory that have no entry. */
void ow_ubf_clear_spare(struct Ubfh *h);
/* Add one occurrence; the value may lie in the buffer itself. */
int ow_ubf_add(struct Ubfh *h, BFLDID id, struct ow_ubf_val v);
/* Replace the value of the entry at rank `at`. */
int ow_ubf_replace(struct Ubfh *h, uint32_t at, struct ow_ubf_val v);
/* Insert k occurrences with the default value of their type. */
int ow_ubf_insert_defaults(struct Ubfh *h, uint32_t at, BFLDID id, uint32_t k);

/* Whether moving the shorter side of k entries at `at` is much to move. */
static inline int ow_ubf_far(const struct Ubfh *h, uint32_t at, uint32_t k)
{
	return at > OW_UBF_MOVE_MAX &&
	       ow_ubf_count(h) - at - k > OW_UBF_MOVE_MAX;
}

/* The length of a caller's value: -EINVAL, -ENOSPC, -EBADMSG (not a buffer),
 * -EPROTOTYPE; OW_UBF_APART: a view, whose bytes are elsewhere than its name
 * and have to be gathered first (viewdef/field.h). */
#define OW_UBF_APART 1
int ow_ubf_measure_any(unsigned int type, const char *buf, BFLDLEN len,
		       struct ow_ubf_val *ret_val);

static inline int ow_ubf_measure(unsigned int type, const char *buf,
				 BFLDLEN len, struct ow_ubf_val *ret_val)
{
	if (buf == NULL || !ow_ubf_type_fixed(type))
		return ow_ubf_measure_any(type, buf, len, ret_val);
	*ret_val = (struct ow_ubf_val){ buf, ow_ubf_type_size(type) };
	return 0;
}

/* If the value lies in the buffer itself, copy it out: *ret_copy is malloc'ed
 * memory or NULL, v->data is set to it. */
int ow_ubf_detach(const struct Ubfh *h, struct ow_ubf_val *v,
		  void **ret_copy);

#endif
