/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.h - the paged directory of the plain form (layout.h)
 *
 * For directories so large that moving half of the entries for each insertion
 * would be too slow. layout.h reads them, these functions change them. The
 * caller updates `start[]` afterwards.
 */
#ifndef OW_UBF_PAGES_H
#define OW_UBF_PAGES_H

#include "libubf/store/layout.h"

/* The three arrays of the index, each of ow_ubf_pages_max() numbers. */
struct ow_ubf_index {
	uint32_t *key, *rank, *page;
};

static inline uint32_t ow_ubf_pages_max(const struct Ubfh *h)
{
	return ow_ubf_dir(h)->slots / OW_UBF_PAGE;
}

static inline struct ow_ubf_index ow_ubf_index(const struct Ubfh *h)
{
	uint32_t *at = ow_ubf_ids_plain(h) + ow_ubf_dir(h)->slots;
	uint32_t n = ow_ubf_pages_max(h);

	return (struct ow_ubf_index){ at, at + n, at + 2 * n };
}

/* Entries of page p; `count` is the number of all entries. */
static inline uint32_t ow_ubf_page_fill(const struct Ubfh *h, uint32_t p,
					uint32_t count)
{
	const uint32_t *rank = ow_ubf_index(h).rank;

	return (p + 1 < ow_ubf_dir(h)->pages ? rank[p + 1] : count) - rank[p];
}

/* Open a slot for a new entry at a rank and set its id; returns the slot. There
 * must be a page that is not in use. */
uint32_t ow_ubf_pages_insert(struct Ubfh *h, uint32_t at, BFLDID id);
/* Close the slots of k entries. */
void ow_ubf_pages_remove(struct Ubfh *h, uint32_t at, uint32_t k);
/* Rewrite a directory of either form as evenly filled pages, `slots` slots in
 * all. The caller has made room. 0, -ENOMEM (unchanged). */
int ow_ubf_pages_lay(struct Ubfh *h, uint32_t slots);
/* Rewrite a paged directory as a flat one of `slots` slots, which must not take
 * more bytes. 0, -ENOMEM (unchanged). */
int ow_ubf_pages_flatten(struct Ubfh *h, uint32_t slots);

#endif
