/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy.h - copy a range of entries to the end of a buffer with room for them
 */
#ifndef OW_UBF_COPY_H
#define OW_UBF_COPY_H

#include "libubf/store/store.h"

/* Append k entries of src, beginning at rank `from`, to h, which is flat and
 * has room (ow_ubf_reserve()). Their ids must not be below those of h. */
void ow_ubf_append_reserved(struct Ubfh *h, const struct Ubfh *src,
			    uint32_t from, uint32_t k);
/* The same for entries of one field. */
void ow_ubf_append_field(struct Ubfh *h, const struct Ubfh *src, uint32_t from,
			 uint32_t k);
/* Add what k entries take in another buffer, alignment apart. */
void ow_ubf_range_want(const struct Ubfh *h, uint32_t from, uint32_t k,
		       struct ow_ubf_want *w);
/* The bytes of a heap that their values need at most. */
uint64_t ow_ubf_range_bytes(const struct Ubfh *h, uint32_t from, uint32_t k);
/* Copy the words of k entries of one fixed type, in consecutive slots. */
void ow_ubf_copy_fixed(struct ow_ubf_ent *to, uint32_t to_width,
		       const struct ow_ubf_ent *from, uint32_t from_width,
		       uint32_t k);

#endif
