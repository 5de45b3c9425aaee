/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk.h - values in the heap of a buffer: put, change, free
 *
 * Inline, because every Badd and Bchg of a string passes through here. The
 * caller reserves the room. Values must not lie in the buffer.
 */
#ifndef OW_UBF_CHUNK_H
#define OW_UBF_CHUNK_H

#include "libubf/store/layout.h"

/* Align the end of the heap for a value that needs it. */
static inline void ow_ubf_align(struct Ubfh *h, unsigned int type)
{
	if (h->used % ow_ubf_type_align(type) != 0) {
		memset((char *)h + h->used, 0, 4);
		h->used += 4;
		h->waste += 4;
	}
}

/* Free bytes that a new value takes at most. */
static inline uint64_t ow_ubf_need(unsigned int type, uint64_t len)
{
	return ow_ubf_room(type, len) + ow_ubf_type_align(type) -
	       OW_UBF_HEAP_UNIT;
}

/* Bytes of a chunk, spare bytes included. */
static inline uint32_t ow_ubf_capacity(const struct Ubfh *h, unsigned int type,
				       struct ow_ubf_chunk c)
{
	return (uint32_t)ow_ubf_room(type, c.len) + ow_ubf_spare(h, type, c);
}

/* Free a chunk; the caller changes the entry. */
static inline void ow_ubf_chunk_free(struct Ubfh *h, unsigned int type,
				     struct ow_ubf_chunk c)
{
	uint32_t cap = ow_ubf_capacity(h, type, c);
	char *p = ow_ubf_chunk_at(h, c);

	memset(p, 0, cap);
	if (p + cap == (char *)h + h->used)
		h->used -= cap;
	else
		h->waste += cap;
}

/* Copy a value to its chunk. Clearing the last word first makes the NUL of a
 * string and the padding. */
static inline void ow_ubf_copy_in(char *to, unsigned int type,
				  struct ow_ubf_val v)
{
	uint32_t align = ow_ubf_type_align(type);

	if (v.len == 0)
		return;
	memset(to + ow_ubf_room(type, v.len) - align, 0, align);
	memcpy(to, v.data, v.len - (type == BFLD_STRING));
	if (type == BFLD_UBF)
		((struct Ubfh *)to)->size = (uint32_t)v.len;
}

/* Put the value of an entry at the end of the heap of either form. */
static inline __attribute__((always_inline)) void
ow_ubf_chunk_put_form(struct Ubfh *h, struct ow_ubf_ent *e, unsigned int type,
		      struct ow_ubf_val v, int plain)
{
	struct ow_ubf_chunk c = { 0, (uint32_t)v.len };

	if (v.len > 0) {
		ow_ubf_align(h, type);
		c.off = h->used -
			(plain ? ow_ubf_dir(h)->heap : ow_ubf_heap_at(h));
		ow_ubf_copy_in((char *)h + h->used, type, v);
		h->used += (uint32_t)ow_ubf_room(type, v.len);
	}
	ow_ubf_chunk_store(e, c, plain);
}

static inline void ow_ubf_chunk_put(struct Ubfh *h, struct ow_ubf_ent *e,
				    unsigned int type, struct ow_ubf_val v)
{
	if (ow_ubf_plain(h))
		ow_ubf_chunk_put_form(h, e, type, v, 1);
	else
		ow_ubf_chunk_put_form(h, e, type, v, 0);
}

/* Replace a value; its chunk has room for the new one. */
static inline void ow_ubf_chunk_set(struct Ubfh *h, struct ow_ubf_ent *e,
				    unsigned int type, struct ow_ubf_val v)
{
	struct ow_ubf_chunk c = ow_ubf_chunk_of(h, e);
	uint32_t was = (uint32_t)ow_ubf_room(type, c.len);
	uint32_t now = (uint32_t)ow_ubf_room(type, v.len), spare;
	char *to = ow_ubf_chunk_at(h, c);

	spare = was + ow_ubf_spare(h, type, c) - now;
	if (c.off & OW_UBF_LOOSE)
		memset(to + was, 0, sizeof(spare));
	if (now < was)
		memset(to + now, 0, was - now);
	ow_ubf_copy_in(to, type, v);
	c = (struct ow_ubf_chunk){ c.off & OW_UBF_OFF_MASK, (uint32_t)v.len };
	if (spare > 0) {
		c.off |= OW_UBF_LOOSE;
		memcpy(to + now, &spare, sizeof(spare));
	}
	ow_ubf_chunk_write(h, e, c);
}

#endif
