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
	if (type != BFLD_STRING && h->used % OW_UBF_ALIGN != 0) {
		memset((char *)h + h->used, 0, 4);
		h->used += 4;
		ow_ubf_add_waste(h, 4);
	}
}

/* Free bytes that a new value takes at most. */
static inline uint64_t ow_ubf_need(unsigned int type, uint64_t len)
{
	uint64_t room = ow_ubf_taken(type, len);

	return type == BFLD_STRING ? room
				   : room + OW_UBF_ALIGN - OW_UBF_HEAP_UNIT;
}

/* Bytes of a chunk, spare bytes included. */
static inline uint32_t ow_ubf_capacity(const struct Ubfh *h, unsigned int type,
				       struct ow_ubf_chunk c)
{
	return (uint32_t)ow_ubf_taken(type, c.len) + ow_ubf_spare(h, type, c);
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
		ow_ubf_add_waste(h, cap);
}

/* Copy a value to its chunk. Clearing the last word first makes the NUL of a
 * string and the padding. */
static inline void ow_ubf_copy_in(char *to, unsigned int type,
				  struct ow_ubf_val v)
{
	if (type == BFLD_STRING) {
		memset(to + ow_ubf_taken(type, v.len) - 4, 0, 4);
		memcpy(to, v.data, v.len - 1);
		return;
	}
	if (v.len == 0)
		return;
	memset(to + ow_ubf_taken(type, v.len) - OW_UBF_ALIGN, 0, OW_UBF_ALIGN);
	memcpy(to, v.data, v.len);
	if (type == BFLD_UBF)
		((struct Ubfh *)to)->size = (uint32_t)v.len;
}

/* What follows gets the form of the buffer, which usually is a constant. */

/* Put the value of an entry at the end of the heap. */
static inline __attribute__((always_inline)) void
ow_ubf_chunk_put(struct Ubfh *h, struct ow_ubf_ent *e, unsigned int type,
		 struct ow_ubf_val v, int plain)
{
	struct ow_ubf_chunk c = { 0, (uint32_t)v.len };

	if (v.len == 0) {
		ow_ubf_chunk_store(e, c, plain);
		return;
	}
	ow_ubf_align(h, type);
	c.off = h->used - h->heap;
	ow_ubf_chunk_store(e, c, plain);
	ow_ubf_copy_in((char *)h + h->used, type, v);
	h->used += (uint32_t)ow_ubf_taken(type, v.len);
}

/* Replace a value; its chunk has room for the new one. */
static inline __attribute__((always_inline)) void
ow_ubf_chunk_set(struct Ubfh *h, struct ow_ubf_ent *e, unsigned int type,
		 struct ow_ubf_val v, int plain)
{
	struct ow_ubf_chunk c = ow_ubf_chunk_read(e, plain);
	uint32_t was = (uint32_t)ow_ubf_taken(type, c.len);
	uint32_t now = (uint32_t)ow_ubf_taken(type, v.len), spare;
	char *to = ow_ubf_chunk_at(h, c);

	c.len = (uint32_t)v.len;
	if (was == now && !(c.off & OW_UBF_LOOSE)) {
		ow_ubf_chunk_store(e, c, plain);
		ow_ubf_copy_in(to, type, v);
		return;
	}
	spare = was - now;
	if (c.off & OW_UBF_LOOSE) {
		uint32_t more;

		memcpy(&more, to + was, sizeof(more));
		memset(to + was, 0, sizeof(more));
		spare += more;
	}
	if (now < was)
		memset(to + now, 0, was - now);
	ow_ubf_copy_in(to, type, v);
	c.off &= OW_UBF_OFF_MASK;
	if (spare > 0) {
		c.off |= OW_UBF_LOOSE;
		memcpy(to + now, &spare, sizeof(spare));
	}
	ow_ubf_chunk_store(e, c, plain);
}

#endif
