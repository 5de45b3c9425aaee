/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - how a UBF buffer lies in memory
 *
 *	+--------+----------+------------+ - - - +----------------+- - - -+
 *	| header | words    | ids        | index | heap           | free  |
 *	|   96   | 8 each   | 4 each     | paged |                |       |
 *	+--------+----------+------------+ - - - +----------------+- - - -+
 *	0        96                              heap           used   size
 *
 * Each occurrence has a word, and its id in `ids`. The entries are in order of
 * (id, occurrence). The rank of an entry is its number in that order. The
 * occurrence number is not stored: it is the distance from the first entry of
 * that id. An id begins with its type, so the entries of a type are neighbours;
 * `start[t]` is the rank of the first entry of type t or above. So a lookup is
 * a binary search in the ids of one type, and occurrence n costs no more than
 * occurrence 0.
 *
 * The word of a fixed type is the value (unused bytes are zero). Of other types
 * it is the offset and length of a chunk in the heap. Offsets count from the
 * heap, so they stay when the directory grows and the heap is moved.
 * Strings begin at a multiple of 4, other values at one of 8. Chunks lie in the
 * order of their creation: putting a value is O(1), whatever the rank of its
 * entry. A chunk is as long as its value, rounded up to its alignment. If the
 * value has shrunk in place, OW_UBF_LOOSE is set in the offset, and the first
 * word of the spare bytes is their number; so a value that shrinks and grows
 * again stays in place. A value that outgrows its chunk gets a new one; the
 * hole counts as `waste`. Holes are closed when space is short or they make up
 * half of the heap. Bytes that belong to no value are zero: deleted values are
 * not sent to other processes.
 *
 * That is the plain form. If it has no room for an addition, a buffer takes the
 * dense form, which is a third smaller and slower:
 *
 *	+--------+-----------+------------+-----------+----------------+- - - -+
 *	| header | ids       | narrow     | wide      | heap           | free  |
 *	|   56   | 4 each    | 4 each     | 8 each    |                |       |
 *	+--------+-----------+------------+-----------+----------------+- - - -+
 *
 * Words of longs, doubles and pointers are 8 bytes and lie in `wide`; words of
 * other types are 4 bytes and lie in `narrow`, each in order of (id,
 * occurrence). Such an array is called a row. The index of a word in its row
 * is the rank less the entries of lower types in the other row, which start[]
 * tells. The numbers of its directory have 16 bits, and offset and length of a
 * chunk share a word of 4 bytes; so a dense buffer has at most 256 KB, 32,767
 * entries and values of 32,767 bytes. It becomes plain when it has to, when it
 * is emptied or copied without holes, and when its memory is twice what the
 * plain form takes. Buffers below OW_UBF_TINY bytes begin dense. In the dense
 * form 64 bytes, 8 per narrow and 12 per wide occurrence, and values rounded up
 * to 8 bytes always suffice.
 *
 * The directory has two arrangements.
 *
 * Flat: entry i of a row is in slot first + i. Free slots lie
 * before and behind the entries, and an insertion moves the shorter side:
 * building a buffer in descending order is as cheap as in ascending order. New
 * slots are added where the insertions happen: as many as there are up to 64
 * slots, then a quarter of them, but at most a quarter of the free space.
 *
 * Paged, only in the plain form: the slots are pages of OW_UBF_PAGE. Page p in
 * order of entries is the physical page index[p].page, filled from its
 * beginning. The index, behind the ids, has three arrays of slots /
 * OW_UBF_PAGE numbers: the first id, the rank of the first entry, the physical
 * page. A flat directory becomes paged when an insertion or deletion would move
 * more than OW_UBF_MOVE_MAX entries; from then on it moves half a page and adds
 * to the ranks of the pages behind. A full page is split; if there is no page
 * to split into, the directory is rewritten with half as much room again.
 * Operations on the whole buffer, such as Bupdate, make the directory flat, and
 * so does want of space: if there is no room for pages, it is flat. Most
 * buffers are never paged.
 *
 *	n entries, p = n / 1024 pages	flat		paged
 *	find a field or occurrence	log n		log n
 *	append at either end		1		1
 *	add or delete elsewhere		n, up to 4,096	1024 + p / 16
 *	change a value			1 (+ the value)	1 (+ the value)
 *	step of Bnext			1		log p
 *	Bcpy, Bupdate, Bproj, check	n		n
 * Amortized. p / 16: several ranks are updated at once; with 10 million entries
 * that costs as much as moving the half page.
 *
 * The header holds no pointers. Bytes 0..used are the whole buffer; `size` is
 * the size of its memory, which a process that copies the bytes into other
 * memory sets (ow_ubf_adopt()).
 *
 * Invariants (ow_ubf_check() tests them on foreign bytes):
 *  - the magic number tells form and arrangement: pages > 0 if it says paged;
 *  - ids ascend, start[] agrees with them, start[12] = count;
 *  - flat: first + entries <= slots in each row; plain: slots is even. Paged:
 *    more than OW_UBF_FLAT_MAX slots, first = 0, the index names each of the
 *    physical pages 0..pages - 1 once, none is empty;
 *  - the heap follows the directory, `used` is a multiple of 4;
 *  - the dense form keeps its limits;
 *  - chunks lie in the heap, aligned, and do not overlap;
 *  - waste = heap bytes in no chunk;
 *  - a string has its only NUL at its end, an embedded buffer is valid and
 *    has the size of its value.
 */
#ifndef OW_UBF_LAYOUT_H
#define OW_UBF_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libubf/base/type.h"
#include "libubf/convert/val.h"

/* The magic number tells form and arrangement: one test finds usual buffers. */
#define OW_UBF_MAGIC 0x33464255u	/* "UBF3" in memory: plain and flat */
#define OW_UBF_MAGIC_PAGED 0x33704255u	/* "UBp3": plain and paged */
#define OW_UBF_MAGIC_DENSE 0x33644255u	/* "UBd3": dense */
#define OW_UBF_STARTS (BFLD_MAX + 2)
#define OW_UBF_ALIGN 8u		/* of a buffer and of values except strings */
#define OW_UBF_HEAP_UNIT 4u	/* offsets in the heap, sizes of chunks */
#define OW_UBF_SIZE_MAX 0xfffffff8u
#define OW_UBF_SLOT 12u		/* bytes of a slot of the plain form */
#define OW_UBF_PAGE 1024u	/* slots */
#define OW_UBF_INDEX 12u	/* bytes of the index per page */
#define OW_UBF_MOVE_MAX 2048u	/* entries moved in a flat directory */
#define OW_UBF_LOOSE 1u		/* in chunk.off: the chunk has spare bytes */
#define OW_UBF_OFF_MASK (~3u)
#define OW_UBF_TINY 256u	/* smaller buffers begin in the dense form */
/* Limits of the dense form: bytes used, entries, bytes of a value. */
#define OW_UBF_DENSE_BYTES 0x40000u
#define OW_UBF_DENSE_ENTRIES 0x7fffu
#define OW_UBF_DENSE_LEN 0x7fffu

/* An array of the directory of the dense form. */
struct ow_ubf_row {
	uint16_t first;		/* free slots before the entries */
	uint16_t slots;
};

enum { OW_UBF_IDS, OW_UBF_NARROW, OW_UBF_WIDE, OW_UBF_ROWS };

/* The header; from `waste` on that of the dense form. */
struct Ubfh {
	uint32_t magic;
	uint32_t size;		/* bytes of memory */
	uint32_t used;		/* bytes from here to the end of the heap */
	uint32_t heap;		/* bytes from here to its beginning */
	uint16_t waste;		/* units of the heap that belong to no entry */
	struct ow_ubf_row row[OW_UBF_ROWS];
	uint16_t start[OW_UBF_STARTS];
};

/* The plain form has this in place of `waste` and what follows. */
struct ow_ubf_dir {
	uint32_t waste;		/* heap bytes that belong to no entry */
	uint32_t first;		/* flat: free slots before the entries */
	uint32_t slots;		/* size of the directory, in entries */
	uint32_t pages;		/* pages in use; 0: the directory is flat */
	uint32_t start[OW_UBF_STARTS];
	uint32_t unused[3];
};

/* Where a value lies in the heap. */
struct ow_ubf_chunk {
	uint32_t off;		/* from the heap's beginning; OW_UBF_LOOSE */
	uint32_t len;		/* of the value; strings: with the NUL */
};

/* The word of an entry: 4 or 8 bytes, ow_ubf_width(). */
struct ow_ubf_ent;

#define OW_UBF_DIR_AT offsetof(struct Ubfh, waste)
#define OW_UBF_PLAIN_BASE                                                      \
	((uint32_t)(OW_UBF_DIR_AT + sizeof(struct ow_ubf_dir)))
#define OW_UBF_WIDE_MASK                                                       \
	(1u << BFLD_LONG | 1u << BFLD_DOUBLE | 1u << BFLD_PTR)

_Static_assert(sizeof(struct Ubfh) == 56, "the dense header is 56 bytes");
_Static_assert(OW_UBF_DIR_AT == 16, "the forms share 16 bytes");
_Static_assert(OW_UBF_PLAIN_BASE % OW_UBF_ALIGN == 0, "aligned");

static inline uint64_t ow_ubf_round(uint64_t len)
{
	return (len + OW_UBF_ALIGN - 1) & ~(uint64_t)(OW_UBF_ALIGN - 1);
}

/* ---- both forms ---- */

static inline int ow_ubf_plain(const struct Ubfh *h)
{
	return __builtin_expect(h->magic != OW_UBF_MAGIC_DENSE, 1);
}

static inline int ow_ubf_paged(const struct Ubfh *h)
{
	return __builtin_expect(h->magic == OW_UBF_MAGIC_PAGED, 0);
}

/* Whether the buffer is plain and flat, as most are. */
static inline int ow_ubf_usual(const struct Ubfh *h)
{
	return __builtin_expect(h->magic == OW_UBF_MAGIC, 1);
}

static inline struct ow_ubf_dir *ow_ubf_dir(const struct Ubfh *h)
{
	return (struct ow_ubf_dir *)((char *)h + OW_UBF_DIR_AT);
}

/* The rank of the first entry of a type or of one above. */
static inline uint32_t ow_ubf_start(const struct Ubfh *h, unsigned int type)
{
	return ow_ubf_plain(h) ? ow_ubf_dir(h)->start[type] : h->start[type];
}

static inline uint32_t ow_ubf_count(const struct Ubfh *h)
{
	return ow_ubf_start(h, OW_UBF_STARTS - 1);
}

static inline uint32_t ow_ubf_count_plain(const struct Ubfh *h)
{
	return ow_ubf_dir(h)->start[OW_UBF_STARTS - 1];
}

/* Heap bytes that belong to no entry. */
static inline uint32_t ow_ubf_waste(const struct Ubfh *h)
{
	return ow_ubf_plain(h) ? ow_ubf_dir(h)->waste
			       : h->waste * OW_UBF_HEAP_UNIT;
}

static inline void ow_ubf_set_waste(struct Ubfh *h, uint32_t bytes)
{
	if (ow_ubf_plain(h))
		ow_ubf_dir(h)->waste = bytes;
	else
		h->waste = (uint16_t)(bytes / OW_UBF_HEAP_UNIT);
}

/* `bytes` may be negative. */
static inline void ow_ubf_add_waste(struct Ubfh *h, uint32_t bytes)
{
	ow_ubf_set_waste(h, ow_ubf_waste(h) + bytes);
}

/* The bytes of memory that may be used as long as the form stays. */
static inline uint32_t ow_ubf_limit(const struct Ubfh *h)
{
	return !ow_ubf_plain(h) && h->size > OW_UBF_DENSE_BYTES
		       ? OW_UBF_DENSE_BYTES
		       : h->size;
}

/* Whether a value can be put without more room or another form. */
static inline int ow_ubf_fits(const struct Ubfh *h, uint64_t bytes,
			      uint64_t len)
{
	return ow_ubf_limit(h) - h->used >= bytes &&
	       (len <= OW_UBF_DENSE_LEN || ow_ubf_plain(h));
}

/* ---- slots ---- */

/* The words of the plain form. */
static inline uint64_t *ow_ubf_words(const struct Ubfh *h)
{
	return (uint64_t *)((char *)h + OW_UBF_PLAIN_BASE);
}

static inline uint32_t *ow_ubf_ids_plain(const struct Ubfh *h)
{
	return (uint32_t *)(ow_ubf_words(h) + ow_ubf_dir(h)->slots);
}

static inline uint32_t *ow_ubf_ids(const struct Ubfh *h)
{
	return ow_ubf_plain(h) ? ow_ubf_ids_plain(h) : (uint32_t *)(h + 1);
}

/* Entries of a flat directory begin here. */
static inline uint32_t ow_ubf_first(const struct Ubfh *h)
{
	return ow_ubf_plain(h) ? ow_ubf_dir(h)->first
			       : h->row[OW_UBF_IDS].first;
}

/* For a paged directory (pages.c): the slot of a rank; how many entries from
 * rank i on have consecutive slots; the result of ow_ubf_lower(). */
uint32_t ow_ubf_pages_slot(const struct Ubfh *h, uint32_t i)
	__attribute__((pure));
uint32_t ow_ubf_pages_run(const struct Ubfh *h, uint32_t i, uint32_t *ret_slot);
uint32_t ow_ubf_pages_lower(const struct Ubfh *h, BFLDID id)
	__attribute__((pure));
/* The slot of a rank in the array of ids. */
static inline uint32_t ow_ubf_slot(const struct Ubfh *h, uint32_t i)
{
	if (__builtin_expect(ow_ubf_paged(h), 0))
		return ow_ubf_pages_slot(h, i);
	return ow_ubf_first(h) + i;
}

/* What follows in buffers that are paged or dense (flat.c). */
BFLDID ow_ubf_id_other(const struct Ubfh *h, uint32_t i) __attribute__((pure));
struct ow_ubf_ent *ow_ubf_ent_other(const struct Ubfh *h, unsigned int type,
				    uint32_t i) __attribute__((pure));
struct ow_ubf_val ow_ubf_val_other(const struct Ubfh *h, unsigned int type,
				   uint32_t i) __attribute__((pure));

static inline BFLDID ow_ubf_id_at(const struct Ubfh *h, uint32_t i)
{
	if (!ow_ubf_usual(h))
		return ow_ubf_id_other(h, i);
	return (BFLDID)ow_ubf_ids_plain(h)[ow_ubf_dir(h)->first + i];
}

/* Whether numbers of this type are 8 bytes. */
static inline unsigned int ow_ubf_type_wide(unsigned int type)
{
	return OW_UBF_WIDE_MASK >> type & 1;
}

/* Dense form: how many entries of types below this one have 8-byte words. */
static inline uint32_t ow_ubf_wide_before(const struct Ubfh *h,
					  unsigned int type)
{
	const uint16_t *s = h->start;
	uint32_t n = 0;

	if (type > BFLD_LONG)
		n += (uint32_t)s[BFLD_LONG + 1] - s[BFLD_LONG];
	if (type > BFLD_DOUBLE)
		n += (uint32_t)s[BFLD_DOUBLE + 1] - s[BFLD_DOUBLE];
	if (type > BFLD_PTR)
		n += (uint32_t)s[BFLD_PTR + 1] - s[BFLD_PTR];
	return n;
}

/* The array of the words of a type. */
static inline unsigned int ow_ubf_row_of(const struct Ubfh *h,
					 unsigned int type)
{
	return ow_ubf_plain(h) ? OW_UBF_WIDE
			       : OW_UBF_NARROW + ow_ubf_type_wide(type);
}

/* Bytes of the words of a type. */
static inline uint32_t ow_ubf_width(const struct Ubfh *h, unsigned int type)
{
	return ow_ubf_plain(h) ? 8 : 4 + 4 * ow_ubf_type_wide(type);
}

/* The index of an entry among those of its array. */
static inline uint32_t ow_ubf_index_of(const struct Ubfh *h, unsigned int type,
				       uint32_t i)
{
	uint32_t wide;

	if (ow_ubf_plain(h))
		return i;
	wide = ow_ubf_wide_before(h, type);
	return ow_ubf_type_wide(type) ? i - h->start[type] + wide : i - wide;
}

/* Dense form: the first slots of the words. */
static inline char *ow_ubf_narrow(const struct Ubfh *h)
{
	return (char *)(ow_ubf_ids(h) + h->row[OW_UBF_IDS].slots);
}

static inline char *ow_ubf_wide(const struct Ubfh *h)
{
	return (char *)h + h->heap - 8 * (size_t)h->row[OW_UBF_WIDE].slots;
}

/* The entry of a rank in a usual buffer, and in any. */
static inline struct ow_ubf_ent *ow_ubf_ent_plain(const struct Ubfh *h,
						  uint32_t i)
{
	return (struct ow_ubf_ent *)(ow_ubf_words(h) + ow_ubf_dir(h)->first +
				     i);
}

static inline struct ow_ubf_ent *ow_ubf_ent_at(const struct Ubfh *h,
					       unsigned int type, uint32_t i)
{
	if (!ow_ubf_usual(h))
		return ow_ubf_ent_other(h, type, i);
	return ow_ubf_ent_plain(h, i);
}

/* The k-th entry behind one of the same type, in consecutive slots. */
static inline struct ow_ubf_ent *ow_ubf_ent_step(const struct ow_ubf_ent *e,
						 uint32_t width, size_t k)
{
	return (struct ow_ubf_ent *)((char *)e + width * k);
}

/* How many of k entries from rank i on have consecutive slots. */
static inline uint32_t ow_ubf_run(const struct Ubfh *h, uint32_t i, uint32_t k,
				  uint32_t *ret_slot)
{
	uint32_t n = k;

	if (__builtin_expect(ow_ubf_paged(h), 0)) {
		n = ow_ubf_pages_run(h, i, ret_slot);
		return n < k ? n : k;
	}
	*ret_slot = ow_ubf_first(h) + i;
	return n;
}

/* ---- values ---- */

static inline char *ow_ubf_heap(const struct Ubfh *h)
{
	return (char *)h + h->heap;
}

/* Where values of a heap type begin: at multiples of this. */
static inline uint32_t ow_ubf_type_align(unsigned int type)
{
	return type == BFLD_STRING ? OW_UBF_HEAP_UNIT : OW_UBF_ALIGN;
}

/* Heap bytes of a value. */
static inline uint64_t ow_ubf_taken(unsigned int type, uint64_t len)
{
	unsigned int mask = type == BFLD_STRING ? OW_UBF_HEAP_UNIT - 1
						: OW_UBF_ALIGN - 1;

	return (len + mask) & ~(uint64_t)mask;
}

/* The word of a value in the heap. Dense form: a quarter of the offset in the
 * upper half, then the length, then OW_UBF_LOOSE. */
static inline __attribute__((always_inline)) struct ow_ubf_chunk
ow_ubf_chunk_read(const struct ow_ubf_ent *e, int plain)
{
	struct ow_ubf_chunk c;
	uint32_t w;

	if (plain)
		return *(const struct ow_ubf_chunk *)e;
	memcpy(&w, e, sizeof(w));
	c.off = (w >> 16) * OW_UBF_HEAP_UNIT | (w & OW_UBF_LOOSE);
	c.len = w >> 1 & OW_UBF_DENSE_LEN;
	return c;
}

static inline __attribute__((always_inline)) void
ow_ubf_chunk_store(struct ow_ubf_ent *e, struct ow_ubf_chunk c, int plain)
{
	uint32_t w;

	if (plain) {
		*(struct ow_ubf_chunk *)e = c;
		return;
	}
	w = c.off / OW_UBF_HEAP_UNIT << 16 | c.len << 1 |
	    (c.off & OW_UBF_LOOSE);
	memcpy((void *)e, &w, sizeof(w));
}

static inline struct ow_ubf_chunk ow_ubf_chunk_of(const struct Ubfh *h,
						  const struct ow_ubf_ent *e)
{
	return ow_ubf_chunk_read(e, ow_ubf_plain(h));
}

static inline void ow_ubf_chunk_write(const struct Ubfh *h,
				      struct ow_ubf_ent *e,
				      struct ow_ubf_chunk c)
{
	ow_ubf_chunk_store(e, c, ow_ubf_plain(h));
}

static inline char *ow_ubf_chunk_at(const struct Ubfh *h,
				    struct ow_ubf_chunk c)
{
	return ow_ubf_heap(h) + (c.off & OW_UBF_OFF_MASK);
}

/* Spare bytes of a chunk behind its value. */
static inline uint32_t ow_ubf_spare(const struct Ubfh *h, unsigned int type,
				    struct ow_ubf_chunk c)
{
	uint32_t spare = 0;

	if (c.off & OW_UBF_LOOSE)
		memcpy(&spare,
		       ow_ubf_chunk_at(h, c) + ow_ubf_taken(type, c.len),
		       sizeof(spare));
	return spare;
}

static inline struct ow_ubf_val ow_ubf_entry_val(const struct Ubfh *h,
						 unsigned int type,
						 const struct ow_ubf_ent *e)
{
	struct ow_ubf_chunk c;

	if (ow_ubf_type_fixed(type))
		return (struct ow_ubf_val){ e, ow_ubf_type_size(type) };
	c = ow_ubf_chunk_of(h, e);
	return (struct ow_ubf_val){ ow_ubf_chunk_at(h, c), c.len };
}

/* The value of an entry, in the buffer. */
static inline char *ow_ubf_value(const struct Ubfh *h, unsigned int type,
				 const struct ow_ubf_ent *e)
{
	return (char *)ow_ubf_entry_val(h, type, e).data;
}

static inline uint32_t ow_ubf_len(const struct Ubfh *h, unsigned int type,
				  const struct ow_ubf_ent *e)
{
	return (uint32_t)ow_ubf_entry_val(h, type, e).len;
}

/* The value of a rank. */
static inline struct ow_ubf_val ow_ubf_val_at(const struct Ubfh *h,
					      unsigned int type, uint32_t i)
{
	const struct ow_ubf_ent *e = ow_ubf_ent_plain(h, i);
	struct ow_ubf_chunk c;

	if (!ow_ubf_usual(h))
		return ow_ubf_val_other(h, type, i);
	if (ow_ubf_type_fixed(type))
		return (struct ow_ubf_val){ e, ow_ubf_type_size(type) };
	c = ow_ubf_chunk_read(e, 1);
	return (struct ow_ubf_val){ ow_ubf_chunk_at(h, c), c.len };
}

#endif
