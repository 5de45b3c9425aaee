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

#include "libubf/layout.h"

/* Make room for `k` more entries near index `at` and for `bytes` of heap. */
int ow_ubf_reserve(struct Ubfh *h, uint32_t at, uint32_t k, uint64_t bytes);
/* Open a gap of k entries before index `at` (reserved before); start[] is the
 * caller's to correct. */
struct ow_ubf_ent *ow_ubf_gap(struct Ubfh *h, uint32_t at, uint32_t k);
/* Remove k entries of one type at `at` with their values. */
void ow_ubf_remove(struct Ubfh *h, uint32_t at, uint32_t k);
/* Rewrite the heap without holes and the directory with `slots` slots. */
int ow_ubf_compact(struct Ubfh *h, uint32_t slots);
/* Compact if holes or free slots have got the upper hand. */
void ow_ubf_tidy(struct Ubfh *h);
/* The least number of bytes these contents can have. */
uint64_t ow_ubf_live(const struct Ubfh *h);
/* Give back the chunk of an entry of a type that has one. */
void ow_ubf_chunk_free(struct Ubfh *h, struct ow_ubf_chunk c);
/* Add one occurrence; the value may lie in the buffer itself. */
int ow_ubf_add(struct Ubfh *h, BFLDID id, struct ow_ubf_val v);
/* Replace the value of the entry at index `at`. */
int ow_ubf_replace(struct Ubfh *h, uint32_t at, struct ow_ubf_val v);
/* Insert k occurrences with the default value of their type. */
int ow_ubf_insert_defaults(struct Ubfh *h, uint32_t at, BFLDID id, uint32_t k);

/* The length of a caller's value: -EINVAL, -ENOSPC, -EBADMSG (not a buffer),
 * -EPROTOTYPE; OW_UBF_APART: a view, whose bytes are elsewhere than its name
 * and have to be gathered first (view_field.h). */
#define OW_UBF_APART 1
int ow_ubf_measure_any(unsigned int type, const char *buf, BFLDLEN len,
		       struct ow_ubf_val *ret_val);

static inline int ow_ubf_measure(unsigned int type, const char *buf,
				 BFLDLEN len, struct ow_ubf_val *ret_val)
{
	if (buf == NULL || !ow_ubf_type_fixed(type))
		return ow_ubf_measure_any(type, buf, len, ret_val);
	*ret_val = (struct ow_ubf_val){ buf, ow_ubf_types[type].size };
	return 0;
}

/* If the value lies in the buffer itself, copy it out: *ret_copy is malloc'ed
 * memory or NULL, v->data is set to it. */
int ow_ubf_detach(const struct Ubfh *h, struct ow_ubf_val *v,
		  void **ret_copy);

#endif
