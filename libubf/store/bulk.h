/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bulk.h - append, filter, copy buffers, each in one linear pass
 *
 * Results are 0 or -errno; on failure the buffer has the fields it had.
 */
#ifndef OW_UBF_BULK_H
#define OW_UBF_BULK_H

#include "libubf/store/copy.h"
#include "libubf/store/store.h"

/* Append k entries of src, beginning at rank `from`. Their ids must not be
 * below those of h. */
int ow_ubf_append(struct Ubfh *h, const struct Ubfh *src, uint32_t from,
		  uint32_t k);
/* Remove the entries of dst whose (id, occurrence) src does not have. */
int ow_ubf_drop_unmatched(struct Ubfh *dst, const struct Ubfh *src);
/* Make `dst`, `size` bytes at any address, a copy of src: 0 or -ENOSPC. A copy
 * that is not at a multiple of 8 is no buffer, only the bytes of one. */
int ow_ubf_copy(struct Ubfh *dst, uint32_t size, const struct Ubfh *src);
/* The same at an aligned address, without the holes and free slots of src,
 * which may be all that does not fit. */
int ow_ubf_copy_tight(struct Ubfh *dst, uint32_t size, const struct Ubfh *src);
/* *ret_copy is a malloc'ed flat copy if src is paged, else NULL. */
int ow_ubf_flat_copy(const struct Ubfh *src, struct Ubfh **ret_copy);

/* Make a sorted copy of a list of ids that ends with BBADFLDID: malloc'ed, of
 * *ret_n ids. -EINVAL if one of them is not a field id. */
int ow_ubf_list(const BFLDID *list, BFLDID **ret_ids, uint32_t *ret_n);
/* Keep (or remove) the entries whose ids are in a sorted list. */
int ow_ubf_filter(struct Ubfh *h, const BFLDID *ids, uint32_t n, int keep);

#endif
