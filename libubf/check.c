/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - test foreign bytes against the invariants of layout.h
 *
 * Linear in the bytes given. Chunks may lie in any order; that they do not
 * overlap is seen at once when they ascend or descend, as they do in a buffer
 * that was built in order or compacted; else a bitmap of the heap tells.
 */
#include "libubf/check.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/buffer.h"
#include "libubf/cleanup.h"
#include "libubf/view_field.h"

#define DEPTH_MAX 32	/* buffers in buffers */
#define BY_WORDS_MAX 64	/* longer strings are for memchr() */

/* What is known after some entries. */
struct heap {
	const char *at;
	uint32_t size;
	uint32_t lo, hi;	/* all chunks so far lie there */
	int outwards;		/* each lay above or below all before it */
	uint64_t sum;		/* of their sizes */
};

typedef int32_t quad __attribute__((vector_size(16)));
typedef uint64_t pair __attribute__((vector_size(16)));

static int check_level(const void *buf, size_t len, int depth);

/* Whether start[at..at + 3] are above their successors: not all zero if so.
 * As numbers with a sign, which is the same: the first one is 0. */
static inline pair descends(const uint32_t *start, int at)
{
	quad a, b;

	memcpy(&a, start + at, sizeof(a));
	memcpy(&b, start + at + 1, sizeof(b));
	return (pair)(a > b);
}

static inline int check_header(const struct Ubfh *h, size_t len)
{
	pair bad;

	if (!ow_ubf_is(h) || h->version != UBF_VERSION || h->reserved != 0 ||
	    h->used > len || h->used < sizeof(*h) ||
	    h->used % OW_UBF_ALIGN != 0 ||
	    h->slots > (h->used - sizeof(*h)) / sizeof(struct ow_ubf_ent) ||
	    (uint64_t)h->first + ow_ubf_count(h) > h->slots)
		return -EBADMSG;
	if (h->start[0] != 0 || h->start[BFLD_MAX + 1] != ow_ubf_count(h))
		return -EBADMSG;
	bad = descends(h->start, 0) | descends(h->start, 4) |
	      descends(h->start, 8) | descends(h->start, 11);
	return (bad[0] | bad[1]) == 0 ? 0 : -EBADMSG;
}

/* Whether the only NUL of a string is its last byte. Eight bytes at once: a
 * chunk has whole words. */
static inline int is_string(const char *p, uint32_t len)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t w, zeros;
	uint32_t i;

	if (len == 0)
		return 0;
	if (len > BY_WORDS_MAX || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return memchr(p, 0, len) == p + len - 1;
	for (i = 0;; i += 8) {
		memcpy(&w, p + i, sizeof(w));
		zeros = (w - ones) & ~w & ones << 7;
		if (zeros != 0)
			break;
		if (i + 8 >= len)
			return 0;
	}
	return i + (uint32_t)__builtin_ctzll(zeros) / 8 == len - 1;
}

/* Embedded buffers and views; carrays may be anything. */
static int check_inside(unsigned int type, const char *p, uint32_t len,
			int depth)
{
	switch (type) {
	case BFLD_CARRAY:
		return 0;
	case BFLD_UBF:
		if (len < sizeof(struct Ubfh) ||
		    ((const struct Ubfh *)p)->size != len)
			return -EBADMSG;
		return check_level(p, len, depth + 1);
	case BFLD_VIEW:
		return ow_ubf_view_check((struct ow_ubf_val){ p, len });
	default:
		return -EBADMSG;
	}
}

static inline int check_chunk(struct heap *heap, const struct ow_ubf_ent *e,
			      unsigned int type, int depth)
{
	uint32_t off = e->u.chunk.off, cap = e->u.chunk.cap;
	const char *p = heap->at + off;

	if ((off | cap) % OW_UBF_ALIGN != 0 ||
	    (uint64_t)off + cap > heap->size || e->len > cap)
		return -EBADMSG;
	heap->sum += cap;
	if (cap > 0 && off >= heap->hi) {
		heap->lo = heap->hi == 0 ? off : heap->lo;
		heap->hi = off + cap;
	} else if (cap > 0 && off + cap <= heap->lo) {
		heap->lo = off;
	} else {
		heap->outwards &= cap == 0;
	}
	if (type == BFLD_STRING)
		return is_string(p, e->len) ? 0 : -EBADMSG;
	return check_inside(type, p, e->len, depth);
}

static int check_fixed(const struct ow_ubf_ent *e,
		       const struct ow_ubf_ent *end, uint32_t size)
{
	uint32_t before = 0;

	for (; e < end; e++) {
		if (e->id < before || e->len != size)
			return -EBADMSG;
		before = e->id;
	}
	return 0;
}

static inline int check_heaped(struct heap *heap, const struct ow_ubf_ent *e,
			       const struct ow_ubf_ent *end, int depth)
{
	unsigned int type = ow_ubf_id_type((BFLDID)e->id);
	uint32_t before = 0;

	for (; e < end; e++) {
		if (e->id < before || check_chunk(heap, e, type, depth) < 0)
			return -EBADMSG;
		before = e->id;
	}
	return 0;
}

/* Type by type, as start[] has them. In a group the ids ascend, so the first
 * and the last one tell that all are of that type and none has number 0. As
 * the groups make up the whole, start[] is right for absent types, too. */
static inline int check_entries(const struct Ubfh *h, int depth,
				struct heap *heap)
{
	const struct ow_ubf_ent *dir = ow_ubf_dir(h);
	uint32_t i, end, count = ow_ubf_count(h), type;
	int r;

	for (i = 0; i < count; i = end) {
		type = ow_ubf_id_type((BFLDID)dir[i].id);
		if (!ow_ubf_id_ok((BFLDID)dir[i].id) || i < h->start[type] ||
		    i >= h->start[type + 1])
			return -EBADMSG;
		end = h->start[type + 1];
		if (ow_ubf_id_type((BFLDID)dir[end - 1].id) != type)
			return -EBADMSG;
		if (ow_ubf_type_fixed(type))
			r = check_fixed(dir + i, dir + end,
					ow_ubf_types[type].size);
		else
			r = check_heaped(heap, dir + i, dir + end, depth);
		if (r < 0)
			return r;
	}
	return 0;
}

static int has_chunk(const struct ow_ubf_ent *e)
{
	return !ow_ubf_type_fixed(ow_ubf_id_type((BFLDID)e->id)) &&
	       e->u.chunk.cap > 0;
}

/* One bit per 8 bytes of the heap; a bit set twice is an overlap. */
static int check_overlap(const struct Ubfh *h)
{
	OW_CLEANUP(ow_cleanup_freep) uint8_t *map = NULL;
	const struct ow_ubf_ent *e = ow_ubf_dir(h);
	const struct ow_ubf_ent *end = e + ow_ubf_count(h);
	uint32_t bit, past;

	map = calloc((h->used - ow_ubf_heap_base(h)) / 64 + 1, 1);
	if (map == NULL)
		return -ENOMEM;
	for (; e < end; e++) {
		if (!has_chunk(e))
			continue;
		bit = e->u.chunk.off / OW_UBF_ALIGN;
		past = bit + e->u.chunk.cap / OW_UBF_ALIGN;
		for (; bit < past; bit++) {
			if (map[bit / 8] & 1u << bit % 8)
				return -EBADMSG;
			map[bit / 8] |= (uint8_t)(1u << bit % 8);
		}
	}
	return 0;
}

static int check_level(const void *buf, size_t len, int depth)
{
	const struct Ubfh *h = buf;
	struct heap heap = { .outwards = 1 };

	if (depth > DEPTH_MAX || len < sizeof(*h) || check_header(h, len) < 0)
		return -EBADMSG;
	heap.at = ow_ubf_heap(h);
	heap.size = h->used - ow_ubf_heap_base(h);
	if (check_entries(h, depth, &heap) < 0 || heap.sum > heap.size ||
	    h->waste != heap.size - heap.sum)
		return -EBADMSG;
	return heap.outwards ? 0 : check_overlap(h);
}

int ow_ubf_check(const void *buf, size_t len)
{
	if (buf == NULL || len < sizeof(struct Ubfh))
		return -EBADMSG;
	return check_level(buf, len, 0);
}
