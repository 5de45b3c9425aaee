/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.h - move or clear slots of a directory, set the ranks of its types
 */
#ifndef OW_UBF_SLOTS_H
#define OW_UBF_SLOTS_H

#include "libubf/store/layout.h"

/* Move n slots; source and target may overlap. */
static inline void ow_ubf_move_slots(struct Ubfh *h, uint32_t to,
				     uint32_t from, uint32_t n)
{
	struct ow_ubf_ent *words = ow_ubf_words(h);
	uint32_t *ids = ow_ubf_ids(h);

	memmove(words + to, words + from, n * sizeof(*words));
	memmove(ids + to, ids + from, n * sizeof(*ids));
}

/* Read and write start[] as a whole; the directory is as large as it will be.
 */
static inline void ow_ubf_get_starts(const struct Ubfh *h, uint32_t *ret)
{
	unsigned int t;

	for (t = 0; t < OW_UBF_STARTS; t++)
		ret[t] = ow_ubf_start(h, t);
}

static inline void ow_ubf_set_starts(struct Ubfh *h, const uint32_t *start)
{
	unsigned int t;

	for (t = 0; t < OW_UBF_STARTS; t++) {
		if (h->slots > OW_UBF_SMALL_MAX)
			ow_ubf_large(h)[t] = start[t];
		else
			h->start[t] = (uint16_t)start[t];
	}
}

static inline void ow_ubf_clear_slots(struct Ubfh *h, uint32_t at, uint32_t n)
{
	memset(ow_ubf_words(h) + at, 0, n * sizeof(struct ow_ubf_ent));
	memset(ow_ubf_ids(h) + at, 0, n * sizeof(uint32_t));
}

#endif
