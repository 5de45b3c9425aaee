/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - how a UBF buffer lies in memory
 *
 *	+--------+-----------------------------+-------------------+- - - - -+
 *	| header | directory: slots x 16 bytes | heap              |  free   |
 *	+--------+-----------------------------+-------------------+- - - - -+
 *	0        96          96 + 16 * slots = heap base         used      size
 *
 * One entry of the directory is one occurrence, in order of (id, occurrence).
 * The occurrence number is not stored: it is the distance from the first entry
 * of that id. As an id begins with its type, the entries of a type are
 * neighbours, and `start[t]` is the index of the first entry of type t or
 * above. So a lookup is a binary search in the entries of one type, and
 * occurrence n costs no more than occurrence 0.
 *
 * A value of a fixed size lies in its entry (8 aligned, unused bytes zero): no
 * heap. Other values lie in heap chunks, 8 aligned, addressed relative to the
 * heap base; the directory can grow with one memmove of the heap, and no
 * offset changes. The order of chunks is that of their creation: appending is
 * O(1) wherever the entry goes. A chunk keeps its capacity, so a value that
 * shrinks and grows again stays in place. A value that outgrows its chunk gets
 * a new one; the hole counts as `waste`, and holes are closed when space is
 * short or they make up half of the heap. Holes are zeroed: what was deleted
 * is not sent to others.
 *
 * Free directory slots lie before and after the entries (`first`), and an
 * insertion moves the shorter side: building a buffer in descending order is
 * as cheap as in ascending order. New slots are added where the insertions
 * happen, as a share of those that were there, but never more than a quarter
 * of the space left: small buffers stay small.
 *
 * The header holds no pointers; bytes 0..used are the whole buffer, `size` is
 * what the owner of the memory may use and is set anew by whoever copies the
 * bytes into other memory (ow_ubf_adopt()). 96 + 16 * fields + values rounded
 * up to 8 bytes always suffice.
 *
 * Invariants (ow_ubf_check() tests them on foreign bytes):
 *  - entries sorted by id, start[] agrees with them, start[12..15] = count;
 *  - chunks lie in the heap, 8 aligned, and do not overlap;
 *  - waste = heap bytes in no chunk; used is a multiple of 8;
 *  - a string has its only NUL at its end, an embedded buffer is valid and
 *    has the size of its value.
 */
#ifndef OW_UBF_LAYOUT_H
#define OW_UBF_LAYOUT_H

#include <stdint.h>
#include <string.h>

#include "libubf/type.h"

#define OW_UBF_MAGIC 0x31464255u	/* "UBF1" in memory */
#define OW_UBF_STARTS 16
#define OW_UBF_ALIGN 8u
#define OW_UBF_SIZE_MAX 0xfffffff8u

struct Ubfh {
	uint32_t magic;
	uint32_t version;
	uint32_t size;		/* bytes of memory */
	uint32_t used;		/* bytes from here to the end of the heap */
	uint32_t first;		/* free slots before the entries */
	uint32_t slots;		/* size of the directory, in entries */
	uint32_t waste;		/* heap bytes that belong to no entry */
	uint32_t reserved;	/* 0 */
	uint32_t start[OW_UBF_STARTS];
};

struct ow_ubf_chunk {
	uint32_t off;		/* from the heap base */
	uint32_t cap;		/* bytes reserved, a multiple of 8 */
};

struct ow_ubf_ent {
	uint32_t id;
	uint32_t len;		/* of the value; strings: with the NUL */
	union {
		uint64_t fixed;
		struct ow_ubf_chunk chunk;
	} u;
};

/* A value on its way in: `len` bytes, of a string the last one is not read. */
struct ow_ubf_val {
	const void *data;
	size_t len;
};

_Static_assert(sizeof(struct Ubfh) == 96, "the header is 96 bytes");
_Static_assert(sizeof(struct ow_ubf_ent) == 16, "an entry is 16 bytes");

static inline uint64_t ow_ubf_round(uint64_t len)
{
	return (len + OW_UBF_ALIGN - 1) & ~(uint64_t)(OW_UBF_ALIGN - 1);
}

static inline uint32_t ow_ubf_count(const struct Ubfh *h)
{
	return h->start[OW_UBF_STARTS - 1];
}

/* The entries, in order; count of them. */
static inline struct ow_ubf_ent *ow_ubf_dir(const struct Ubfh *h)
{
	return (struct ow_ubf_ent *)((char *)h + sizeof(*h)) + h->first;
}

static inline uint32_t ow_ubf_heap_base(const struct Ubfh *h)
{
	return (uint32_t)(sizeof(*h) + h->slots * sizeof(struct ow_ubf_ent));
}

static inline char *ow_ubf_heap(const struct Ubfh *h)
{
	return (char *)h + ow_ubf_heap_base(h);
}

/* The value of an entry, in the buffer. */
static inline char *ow_ubf_value(const struct Ubfh *h,
				 const struct ow_ubf_ent *e)
{
	if (ow_ubf_type_fixed(ow_ubf_id_type((BFLDID)e->id)))
		return (char *)&e->u.fixed;
	return ow_ubf_heap(h) + e->u.chunk.off;
}

/* Binary search without a branch to mispredict. */
static inline const struct ow_ubf_ent *
ow_ubf_search(const struct ow_ubf_ent *at, uint32_t n, uint32_t id)
{
	while (n > 1) {
		uint32_t half = n / 2;

		at += half & -(uint32_t)(at[half - 1].id < id);
		n -= half;
	}
	return at + (n == 1 && at->id < id);
}

/* Index of the first entry with this id or a higher one, or where it would
 * be. The guess hits when the ids of a type are without gaps and, before this
 * one, without repetitions, as in most messages. */
static inline uint32_t ow_ubf_lower(const struct Ubfh *h, BFLDID id)
{
	unsigned int type = ow_ubf_id_type(id);
	uint32_t lo = h->start[type], n = h->start[type + 1] - lo, guess;
	const struct ow_ubf_ent *base = ow_ubf_dir(h) + lo;

	if (n == 0)
		return lo;
	guess = (uint32_t)id - base->id;
	if (guess < n && base[guess].id == (uint32_t)id &&
	    (guess == 0 || base[guess - 1].id != (uint32_t)id))
		return lo + guess;
	return lo + (uint32_t)(ow_ubf_search(base, n, (uint32_t)id) - base);
}

/* Index behind the last entry with this id, starting at its first one. */
static inline uint32_t ow_ubf_upper(const struct Ubfh *h, BFLDID id)
{
	if ((id & OW_UBF_NUMBER_MAX) == OW_UBF_NUMBER_MAX)
		return h->start[ow_ubf_id_type(id) + 1];
	return ow_ubf_lower(h, id + 1);
}

/* The entry of an occurrence, or NULL; a negative occurrence finds none. */
static inline struct ow_ubf_ent *ow_ubf_locate(const struct Ubfh *h, BFLDID id,
					       BFLDOCC occ)
{
	uint64_t i = (uint64_t)ow_ubf_lower(h, id) + (uint32_t)occ;
	struct ow_ubf_ent *e = ow_ubf_dir(h) + i;

	if (i >= h->start[ow_ubf_id_type(id) + 1] || e->id != (uint32_t)id)
		return NULL;
	return e;
}

#endif
