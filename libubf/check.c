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

#define DEPTH_MAX 32	/* buffers in buffers */

static int check_level(const void *buf, size_t len, int depth);

static int check_header(const struct Ubfh *h, size_t len)
{
	uint32_t t;

	if (!ow_ubf_is(h) || len < sizeof(*h) || h->version != UBF_VERSION ||
	    h->reserved != 0)
		return -EBADMSG;
	if (h->used > len || h->used < sizeof(*h) ||
	    h->used % OW_UBF_ALIGN != 0 ||
	    h->slots > (h->used - sizeof(*h)) / sizeof(struct ow_ubf_ent) ||
	    (uint64_t)h->first + ow_ubf_count(h) > h->slots)
		return -EBADMSG;
	if (h->start[0] != 0)
		return -EBADMSG;
	for (t = 1; t < OW_UBF_STARTS; t++) {
		if (h->start[t] < h->start[t - 1])
			return -EBADMSG;
	}
	return h->start[BFLD_MAX + 1] == ow_ubf_count(h) ? 0 : -EBADMSG;
}

static int check_chunk(const struct Ubfh *h, const struct ow_ubf_ent *e,
		       int depth)
{
	const struct ow_ubf_chunk *c = &e->u.chunk;
	const char *p = ow_ubf_heap(h) + c->off;

	if (c->off % OW_UBF_ALIGN != 0 || c->cap % OW_UBF_ALIGN != 0 ||
	    (uint64_t)c->off + c->cap > h->used - ow_ubf_heap_base(h) ||
	    e->len > c->cap)
		return -EBADMSG;
	switch (ow_ubf_id_type((BFLDID)e->id)) {
	case BFLD_STRING:
		if (e->len == 0 || memchr(p, 0, e->len) != p + e->len - 1)
			return -EBADMSG;
		return 0;
	case BFLD_CARRAY:
		return 0;
	case BFLD_UBF:
		if (e->len < sizeof(*h) ||
		    ((const struct Ubfh *)p)->size != e->len)
			return -EBADMSG;
		return check_level(p, e->len, depth + 1);
	default:
		return -EBADMSG;
	}
}

/* Ids in order and of the type start[] says; the sum of the chunks. */
static int check_entries(const struct Ubfh *h, int depth, uint64_t *ret_sum)
{
	const struct ow_ubf_ent *e = ow_ubf_dir(h);
	uint32_t t, i, before = 0;
	uint64_t sum = 0;

	for (t = 0; t <= BFLD_MAX; t++) {
		for (i = h->start[t]; i < h->start[t + 1]; i++) {
			if (e[i].id < before ||
			    ow_ubf_id_type((BFLDID)e[i].id) != t ||
			    !ow_ubf_id_ok((BFLDID)e[i].id))
				return -EBADMSG;
			before = e[i].id;
			if (ow_ubf_type_fixed(t)) {
				if (e[i].len != ow_ubf_types[t].size)
					return -EBADMSG;
				continue;
			}
			if (check_chunk(h, e + i, depth) < 0)
				return -EBADMSG;
			sum += e[i].u.chunk.cap;
		}
	}
	*ret_sum = sum;
	return 0;
}

static int has_chunk(const struct ow_ubf_ent *e)
{
	return !ow_ubf_type_fixed(ow_ubf_id_type((BFLDID)e->id)) &&
	       e->u.chunk.cap > 0;
}

/* Every chunk lies above or below all before it. */
static int spread_outwards(const struct Ubfh *h)
{
	const struct ow_ubf_ent *e = ow_ubf_dir(h);
	const struct ow_ubf_ent *end = e + ow_ubf_count(h);
	uint32_t lo = 0, hi = 0;

	for (; e < end; e++) {
		uint32_t off = e->u.chunk.off, past = off + e->u.chunk.cap;

		if (!has_chunk(e))
			continue;
		if (hi == 0)
			lo = hi = off;
		if (off >= hi)
			hi = past;
		else if (past <= lo)
			lo = off;
		else
			return 0;
	}
	return 1;
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
	uint64_t sum;
	uint32_t heap;

	if (depth > DEPTH_MAX || len < sizeof(*h) ||
	    check_header(h, len) < 0 || check_entries(h, depth, &sum) < 0)
		return -EBADMSG;
	heap = h->used - ow_ubf_heap_base(h);
	if (sum > heap || h->waste != heap - sum)
		return -EBADMSG;
	return spread_outwards(h) ? 0 : check_overlap(h);
}

int ow_ubf_check(const void *buf, size_t len)
{
	if (buf == NULL || len < sizeof(struct Ubfh))
		return -EBADMSG;
	return check_level(buf, len, 0);
}
