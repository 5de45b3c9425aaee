/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.h - find entries of a buffer by id and occurrence
 *
 * A binary search in the ids of one type (layout.h).
 */
#ifndef OW_UBF_SEARCH_H
#define OW_UBF_SEARCH_H

#include "libubf/store/layout.h"

/* What ow_ubf_lower(), ow_ubf_rank() and ow_ubf_locate() do in buffers that are
 * paged or dense (flat.c). */
uint32_t ow_ubf_lower_other(const struct Ubfh *h, BFLDID id)
	__attribute__((pure));
int ow_ubf_rank_other(const struct Ubfh *h, BFLDID id, BFLDOCC occ,
		      uint32_t *ret_rank);
struct ow_ubf_ent *ow_ubf_locate_other(const struct Ubfh *h, BFLDID id,
				       BFLDOCC occ) __attribute__((pure));

/* How many of n ascending ids are lower. No branch depends on the ids, so none
 * is mispredicted. */
static inline uint32_t ow_ubf_search(const uint32_t *ids, uint32_t n,
				     uint32_t id)
{
	const uint32_t *at = ids;

	while (n > 1) {
		uint32_t half = n / 2;

		at += half & -(uint32_t)(at[half - 1] < id);
		n -= half;
	}
	return (uint32_t)(at - ids) + (n == 1 && *at < id);
}

/* The same for the ids of one type. The guess is right if the ids up to this
 * one have no gaps and no repetitions, as in most messages. */
static inline uint32_t ow_ubf_search_type(const uint32_t *ids, uint32_t n,
					  uint32_t id)
{
	uint32_t guess = id - *ids;

	if (guess < n && ids[guess] == id &&
	    (guess == 0 || ids[guess - 1] != id))
		return guess;
	return ow_ubf_search(ids, n, id);
}

/* The rank of the first entry with this id or a higher one. */
static inline uint32_t ow_ubf_lower(const struct Ubfh *h, BFLDID id)
{
	unsigned int type = ow_ubf_id_type(id);
	const struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint32_t lo, n;

	if (!ow_ubf_usual(h))
		return ow_ubf_lower_other(h, id);
	lo = dir->start[type];
	n = dir->start[type + 1] - lo;
	if (n == 0)
		return lo;
	return lo + ow_ubf_search_type(ow_ubf_ids_plain(h) + dir->first + lo,
				       n, (uint32_t)id);
}

/* The rank behind the last entry with this id. */
static inline uint32_t ow_ubf_upper(const struct Ubfh *h, BFLDID id)
{
	if ((id & OW_UBF_NUMBER_MAX) == OW_UBF_NUMBER_MAX)
		return ow_ubf_start(h, ow_ubf_id_type(id) + 1);
	return ow_ubf_lower(h, id + 1);
}

/* Find the slot of an occurrence in a usual buffer: 1, or 0 if it is not
 * present. */
static inline int ow_ubf_slot_usual(const struct Ubfh *h, BFLDID id,
				    BFLDOCC occ, uint64_t *ret_slot)
{
	unsigned int type = ow_ubf_id_type(id);
	const struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint32_t lo = dir->start[type], n = dir->start[type + 1] - lo, slot;
	const uint32_t *ids;
	uint64_t i;

	if (n == 0)
		return 0;
	slot = dir->first + lo;
	ids = ow_ubf_ids_plain(h) + slot;
	i = (uint64_t)ow_ubf_search_type(ids, n, (uint32_t)id) + (uint32_t)occ;
	if (i >= n || ids[i] != (uint32_t)id)
		return 0;
	*ret_slot = slot + i;
	return 1;
}

/* The rank, likewise. */
static inline int ow_ubf_rank_usual(const struct Ubfh *h, BFLDID id,
				    BFLDOCC occ, uint32_t *ret_rank)
{
	uint64_t slot;

	if (!ow_ubf_slot_usual(h, id, occ, &slot))
		return 0;
	*ret_rank = (uint32_t)slot - ow_ubf_dir(h)->first;
	return 1;
}

/* The same in every buffer. `occ` may be negative: not present. */
static inline int ow_ubf_rank(const struct Ubfh *h, BFLDID id, BFLDOCC occ,
			      uint32_t *ret_rank)
{
	return ow_ubf_usual(h) ? ow_ubf_rank_usual(h, id, occ, ret_rank)
			       : ow_ubf_rank_other(h, id, occ, ret_rank);
}

/* The entry of an occurrence, or NULL if it is not present. */
static inline __attribute__((always_inline)) struct ow_ubf_ent *
ow_ubf_locate(const struct Ubfh *h, BFLDID id, BFLDOCC occ)
{
	uint64_t slot;

	if (!ow_ubf_usual(h))
		return ow_ubf_locate_other(h, id, occ);
	if (!ow_ubf_slot_usual(h, id, occ, &slot))
		return NULL;
	return (struct ow_ubf_ent *)(ow_ubf_words(h) + slot);
}

#endif
