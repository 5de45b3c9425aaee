/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.h - change the arrays of a directory
 *
 * A directory has up to three arrays, called rows: ids, narrow words, wide
 * words. In the plain form all words are wide, and both rows have the same
 * free slots.
 */
#ifndef OW_UBF_SLOTS_H
#define OW_UBF_SLOTS_H

#include "libubf/store/layout.h"

struct ow_ubf_span {
	uint32_t first, slots;	/* as in struct ow_ubf_row */
};

/* The sizes of all rows. */
struct ow_ubf_shape {
	struct ow_ubf_span row[OW_UBF_ROWS];
};

static inline uint32_t ow_ubf_row_width(unsigned int row)
{
	return row == OW_UBF_WIDE ? 8 : 4;
}

static inline struct ow_ubf_span ow_ubf_span(const struct Ubfh *h,
					     unsigned int row)
{
	if (!ow_ubf_plain(h))
		return (struct ow_ubf_span){ h->row[row].first,
					     h->row[row].slots };
	if (row == OW_UBF_NARROW)
		return (struct ow_ubf_span){ 0, 0 };
	return (struct ow_ubf_span){ ow_ubf_dir(h)->first,
				     ow_ubf_dir(h)->slots };
}

static inline void ow_ubf_set_span(struct Ubfh *h, unsigned int row,
				   struct ow_ubf_span s)
{
	if (!ow_ubf_plain(h)) {
		h->row[row] = (struct ow_ubf_row){ (uint16_t)s.first,
						   (uint16_t)s.slots };
	} else if (row != OW_UBF_NARROW) {
		ow_ubf_dir(h)->first = s.first;
		ow_ubf_dir(h)->slots = s.slots;
	}
}

/* The first slot of a row. */
static inline char *ow_ubf_row(const struct Ubfh *h, unsigned int row)
{
	if (row == OW_UBF_IDS)
		return (char *)ow_ubf_ids(h);
	if (ow_ubf_plain(h))
		return (char *)ow_ubf_words(h);
	return row == OW_UBF_WIDE ? ow_ubf_wide(h) : ow_ubf_narrow(h);
}

/* Entries of a row. */
static inline uint32_t ow_ubf_row_count(const struct Ubfh *h, unsigned int row)
{
	uint32_t count = ow_ubf_count(h), wide;

	if (row == OW_UBF_IDS)
		return count;
	wide = ow_ubf_plain(h) ? count : ow_ubf_wide_before(h, BFLD_MAX);
	return row == OW_UBF_WIDE ? wide : count - wide;
}

static inline void ow_ubf_get_starts(const struct Ubfh *h, uint32_t *ret)
{
	unsigned int t;

	if (ow_ubf_plain(h)) {
		memcpy(ret, ow_ubf_dir(h)->start, OW_UBF_STARTS * sizeof(*ret));
		return;
	}
	for (t = 0; t < OW_UBF_STARTS; t++)
		ret[t] = h->start[t];
}

static inline void ow_ubf_set_starts(struct Ubfh *h, const uint32_t *start)
{
	unsigned int t;

	if (ow_ubf_plain(h)) {
		memcpy(ow_ubf_dir(h)->start, start,
		       OW_UBF_STARTS * sizeof(*start));
		return;
	}
	for (t = 0; t < OW_UBF_STARTS; t++)
		h->start[t] = (uint16_t)start[t];
}

typedef uint32_t ow_ubf_quad __attribute__((vector_size(16), aligned(4)));

/* Zeros, then ones (flat.c): the numbers from OW_UBF_STARTS - 1 - t on are a
 * mask whose lane i is all ones if i > t. */
extern const uint32_t ow_ubf_edge[2 * OW_UBF_STARTS];

static inline void ow_ubf_shift_plain(struct Ubfh *h, unsigned int type,
				      uint32_t k)
{
	uint32_t *start = ow_ubf_dir(h)->start;
	const ow_ubf_quad *mask = (const ow_ubf_quad *)
		(ow_ubf_edge + OW_UBF_STARTS - 1 - type);
	ow_ubf_quad *at = (ow_ubf_quad *)start;

	at[0] += mask[0] & k;
	at[1] += mask[1] & k;
	at[2] += mask[2] & k;
	start[OW_UBF_STARTS - 1] += k;
}

/* Add k to start[] of all types above this one. */
static inline void ow_ubf_shift_starts(struct Ubfh *h, unsigned int type,
				       uint32_t k)
{
	if (ow_ubf_plain(h)) {
		ow_ubf_shift_plain(h, type, k);
		return;
	}
	while (++type < OW_UBF_STARTS)
		h->start[type] = (uint16_t)(h->start[type] + k);
}

/* Plain form: move n slots; source and target may overlap. */
static inline void ow_ubf_move_slots(struct Ubfh *h, uint32_t to,
				     uint32_t from, uint32_t n)
{
	uint64_t *words = ow_ubf_words(h);
	uint32_t *ids = ow_ubf_ids_plain(h);

	memmove(words + to, words + from, n * sizeof(*words));
	memmove(ids + to, ids + from, n * sizeof(*ids));
}

static inline void ow_ubf_clear_slots(struct Ubfh *h, uint32_t at, uint32_t n)
{
	memset(ow_ubf_words(h) + at, 0, n * sizeof(uint64_t));
	memset(ow_ubf_ids_plain(h) + at, 0, n * sizeof(uint32_t));
}

/* Change the rows of the dense form (flat.c). The shape says where the heap
 * begins. */
void ow_ubf_reshape_rows(struct Ubfh *h, const struct ow_ubf_shape *s);
uint32_t ow_ubf_rows_end(const struct ow_ubf_shape *s);

#endif
