/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - add, replace, remove entries of a buffer
 *
 * All functions that move bytes of a buffer are here and in bulk.h and merge.h;
 * the public functions find the place and choose the value. Results are 0 or
 * -errno: -ENOSPC (the fields are unchanged, though the buffer may have been
 * compacted), -ENOMEM. A value must not lie in the buffer itself, except for
 * ow_ubf_add(); ow_ubf_detach() copies it out.
 */
#ifndef OW_UBF_STORE_H
#define OW_UBF_STORE_H

#include <stddef.h>

#include "libubf/store/layout.h"

/* A directory with at most so many slots is flat. */
#define OW_UBF_FLAT_MAX (2 * OW_UBF_MOVE_MAX)

/* ---- entries: store.c ---- */

/* Add one occurrence; the value may lie in the buffer itself. */
int ow_ubf_add(struct Ubfh *h, BFLDID id, struct ow_ubf_val v);
/* Replace the value of the entry at rank `at`. */
int ow_ubf_replace(struct Ubfh *h, uint32_t at, struct ow_ubf_val v);
/* Insert k occurrences with the default value of their type. */
int ow_ubf_insert_defaults(struct Ubfh *h, uint32_t at, BFLDID id, uint32_t k);
/* Remove k entries of one type from rank `at` on, with their values. */
void ow_ubf_remove(struct Ubfh *h, uint32_t at, uint32_t k);

/* ---- rows of a flat directory: flat.c ---- */

/* Open a gap before rank `at` for k entries of one type, reserved before, and
 * update start[]; returns the first word, and the first id in *ret_ids. Ids and
 * words are undefined. */
struct ow_ubf_ent *ow_ubf_open(struct Ubfh *h, uint32_t at, unsigned int type,
			       uint32_t k, uint32_t **ret_ids);
/* Open a gap of k slots before rank `at` of a plain directory, reserved before;
 * returns the first. start[] stays. */
uint32_t ow_ubf_gap(struct Ubfh *h, uint32_t at, uint32_t k);
/* Make free slots behind the last entries; start[] stays. */
void ow_ubf_open_ends(struct Ubfh *h, uint32_t narrow, uint32_t wide);
/* Close the slots of k entries of one type, and update start[]. */
void ow_ubf_close(struct Ubfh *h, uint32_t at, unsigned int type, uint32_t k);
/* Zero the slots that have no entry. */
void ow_ubf_clear_spare(struct Ubfh *h);

/* ---- room: space.c ---- */

/* What is added to a buffer. */
struct ow_ubf_want {
	uint32_t narrow, wide;	/* entries, by their words in the dense form */
	uint64_t bytes;		/* of heap */
	uint64_t longest;	/* length of the longest value in the heap */
};

static inline struct ow_ubf_want ow_ubf_want_of(unsigned int type, uint32_t k,
						uint64_t bytes, uint64_t len)
{
	uint32_t wide = ow_ubf_type_wide(type) ? k : 0;

	return (struct ow_ubf_want){ k - wide, wide, bytes, len };
}

/* Make room near rank `at`. For more than one entry the directory is flat
 * afterwards. The form may change. */
int ow_ubf_reserve(struct Ubfh *h, uint32_t at, const struct ow_ubf_want *w);
/* What fits to the last byte: close the holes and make slots for one entry that
 * is not a string, whose w->bytes are without padding. Nothing but
 * ow_ubf_put_exact() may put its value then. 0, -ENOSPC or -ENOMEM. */
int ow_ubf_reserve_exact(struct Ubfh *h, const struct ow_ubf_want *w);
/* Put the value of the entry at rank `at`, empty until now, before the
 * strings, where it needs no padding. */
void ow_ubf_put_exact(struct Ubfh *h, uint32_t at, struct ow_ubf_val v);
/* Change a buffer to the plain form: 0, -ENOSPC or -ENOMEM. */
int ow_ubf_make_plain(struct Ubfh *h);
/* Make the directory flat, with room for w (or NULL) more entries and no other
 * free slots, and close the holes. */
int ow_ubf_compact(struct Ubfh *h, const struct ow_ubf_want *w);
/* Make a paged directory flat: 0 or -ENOMEM. */
int ow_ubf_flatten(struct Ubfh *h);
/* Make the directory paged, with room to grow, leaving `bytes` free: 0, -ENOMEM
 * or -ENOSPC. */
int ow_ubf_paginate(struct Ubfh *h, uint64_t bytes);
/* Compact if holes or free slots take too much of the buffer. */
void ow_ubf_tidy(struct Ubfh *h);
/* Bytes of the buffer without holes and free slots. */
uint64_t ow_ubf_live(const struct Ubfh *h);
/* Bytes of a new buffer that holds w and nothing else. */
uint64_t ow_ubf_size_for(const struct ow_ubf_want *w);

/* Whether removing or inserting k entries at `at` moves more entries than a
 * flat directory should. */
static inline int ow_ubf_far(const struct Ubfh *h, uint32_t at, uint32_t k)
{
	return at > OW_UBF_MOVE_MAX &&
	       ow_ubf_count(h) - at - k > OW_UBF_MOVE_MAX;
}

/* Measure a value of the program: 0, -EINVAL, -ENOSPC, -EBADMSG (not a buffer),
 * -EPROTOTYPE, or OW_UBF_APART: a view, whose name and bytes lie apart;
 * ow_ubf_view_gather() brings them together. */
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

/* If the value lies in the buffer itself, copy it to malloc'ed memory: v->data
 * and *ret_copy are set to the copy. Else *ret_copy is NULL. 0 or -ENOMEM. */
int ow_ubf_detach(const struct Ubfh *h, struct ow_ubf_val *v,
		  void **ret_copy);

#endif
