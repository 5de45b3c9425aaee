/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - change what lies in a buffer, keeping its layout valid
 *
 * See layout.h for the picture. The usual change is short: there is a free
 * slot and free space, one side of the directory moves by a few entries, the
 * value is copied to the end of the heap. What follows when that is not so
 * (growing, compacting) is in space.c.
 */
#include "libubf/store.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "libubf/buffer.h"
#include "libubf/cleanup.h"
#include "libubf/view_field.h"

/* Other side used, as long as it means moving no more entries than this. */
#define CHEAP_MOVE 16

typedef uint32_t quad __attribute__((vector_size(16), aligned(4)));

/* 16 zeros, 16 ones: read from 15 - t on, lane i is all ones if i > t. */
static const uint32_t edge[2 * OW_UBF_STARTS] = {
	[OW_UBF_STARTS ... 2 * OW_UBF_STARTS - 1] = ~0u
};

/* The types above this one now begin k entries later. */
static inline void bump(struct Ubfh *h, unsigned int type, uint32_t k)
{
	const quad *mask = (const quad *)(edge + OW_UBF_STARTS - 1 - type);
	quad *start = (quad *)h->start;

	start[0] += mask[0] & k;
	start[1] += mask[1] & k;
	start[2] += mask[2] & k;
	start[3] += mask[3] & k;
}

/* Move all entries so that the side where `at` lies gets k free slots and half
 * of the rest: the next insertions there are cheap. */
static void respread(struct Ubfh *h, int to_front, uint32_t k)
{
	uint32_t count = ow_ubf_count(h);
	uint32_t give = k + (h->slots - count - k) / 2;
	uint32_t first = to_front ? give : h->slots - count - give;
	struct ow_ubf_ent *slot0 = ow_ubf_dir(h) - h->first;

	memmove(slot0 + first, ow_ubf_dir(h), count * sizeof(*slot0));
	memset(slot0, 0, first * sizeof(*slot0));
	memset(slot0 + first + count, 0,
	       (h->slots - first - count) * sizeof(*slot0));
	h->first = first;
}

static __attribute__((noinline)) void make_gap(struct Ubfh *h, uint32_t at,
					       uint32_t k)
{
	uint32_t count = ow_ubf_count(h);
	uint32_t back = h->slots - h->first - count;
	int to_front = at < count - at;
	uint32_t other_cost = to_front ? count - at : at;
	struct ow_ubf_ent *dir;

	assert(h->slots - count >= k);
	if ((to_front ? h->first : back) < k) {
		if ((to_front ? back : h->first) >= k &&
		    other_cost <= CHEAP_MOVE)
			to_front = !to_front;
		else
			respread(h, to_front, k);
	}
	dir = ow_ubf_dir(h);
	if (to_front) {
		memmove(dir - k, dir, at * sizeof(*dir));
		h->first -= k;
	} else {
		memmove(dir + at + k, dir + at, (count - at) * sizeof(*dir));
	}
}

static inline struct ow_ubf_ent *gap(struct Ubfh *h, uint32_t at, uint32_t k)
{
	uint32_t count = ow_ubf_count(h);

	if (at != count || h->slots - h->first - count < k)
		make_gap(h, at, k);
	return ow_ubf_dir(h) + at;
}

struct ow_ubf_ent *ow_ubf_gap(struct Ubfh *h, uint32_t at, uint32_t k)
{
	return gap(h, at, k);
}

/* Open a gap of k entries of one type. */
static inline struct ow_ubf_ent *open_gap(struct Ubfh *h, uint32_t at,
					  uint32_t k, unsigned int type)
{
	struct ow_ubf_ent *e = gap(h, at, k);

	bump(h, type, k);
	return e;
}

void ow_ubf_chunk_free(struct Ubfh *h, struct ow_ubf_chunk c)
{
	char *p = ow_ubf_heap(h) + c.off;

	memset(p, 0, c.cap);
	if (p + c.cap == (char *)h + h->used)
		h->used -= c.cap;
	else
		h->waste += c.cap;
}

void ow_ubf_remove(struct Ubfh *h, uint32_t at, uint32_t k)
{
	struct ow_ubf_ent *dir = ow_ubf_dir(h);
	uint32_t count = ow_ubf_count(h);
	unsigned int type = ow_ubf_id_type((BFLDID)dir[at].id);
	uint32_t i;

	assert(k > 0 && at + k <= count);
	for (i = k; i-- > 0 && !ow_ubf_type_fixed(type);)
		ow_ubf_chunk_free(h, dir[at + i].u.chunk);
	if (at < count - at - k) {
		memmove(dir + k, dir, at * sizeof(*dir));
		memset(dir, 0, k * sizeof(*dir));
		h->first += k;
	} else {
		memmove(dir + at, dir + at + k,
			(count - at - k) * sizeof(*dir));
		memset(dir + count - k, 0, k * sizeof(*dir));
	}
	bump(h, type, -k);
	ow_ubf_tidy(h);
}

/* Copy a value to its chunk. The last word is cleared first, so the NUL of a
 * string and the padding come by themselves. */
static inline void put(char *to, unsigned int type, struct ow_ubf_val v)
{
	if (v.len == 0)
		return;
	*(uint64_t *)(to + ow_ubf_round(v.len) - OW_UBF_ALIGN) = 0;
	memcpy(to, v.data, v.len - (type == BFLD_STRING));
	if (type == BFLD_UBF)
		((struct Ubfh *)to)->size = (uint32_t)v.len;
}

static inline uint64_t fixed_word(struct ow_ubf_val v)
{
	uint64_t w = 0;

	switch (v.len) {
	case 1:
		memcpy(&w, v.data, 1);
		break;
	case 2:
		memcpy(&w, v.data, 2);
		break;
	case 4:
		memcpy(&w, v.data, 4);
		break;
	default:
		memcpy(&w, v.data, 8);
	}
	return w;
}

/* Fill an entry; a heap value goes to the end of the heap (reserved). */
static inline void fill(struct Ubfh *h, struct ow_ubf_ent *e, BFLDID id,
			struct ow_ubf_val v)
{
	unsigned int type = ow_ubf_id_type(id);

	e->id = (uint32_t)id;
	e->len = (uint32_t)v.len;
	if (ow_ubf_type_fixed(type)) {
		e->u.fixed = fixed_word(v);
		return;
	}
	e->u.chunk.off = v.len > 0 ? h->used - ow_ubf_heap_base(h) : 0;
	e->u.chunk.cap = (uint32_t)ow_ubf_round(v.len);
	put((char *)h + h->used, type, v);
	h->used += e->u.chunk.cap;
}

static inline int insert(struct Ubfh *h, uint32_t at, BFLDID id,
			 struct ow_ubf_val v)
{
	unsigned int type = ow_ubf_id_type(id);
	uint64_t bytes = ow_ubf_round(v.len), word;
	int r;

	if (ow_ubf_type_fixed(type)) {
		word = fixed_word(v);	/* may lie in the directory itself */
		v.data = &word;
		bytes = 0;
	}
	if (h->slots == ow_ubf_count(h) || h->size - h->used < bytes) {
		r = ow_ubf_reserve(h, at, 1, bytes);
		if (r < 0)
			return r;
	}
	fill(h, open_gap(h, at, 1, type), id, v);
	return 0;
}

/* Where a further occurrence of a field goes. */
static inline uint32_t add_at(const struct Ubfh *h, BFLDID id)
{
	uint32_t count = ow_ubf_count(h);

	if (count == 0 || ow_ubf_dir(h)[count - 1].id <= (uint32_t)id)
		return count;
	if (ow_ubf_dir(h)->id > (uint32_t)id)
		return 0;
	return ow_ubf_upper(h, id);
}

static inline int in_buffer(const struct Ubfh *h, const void *p)
{
	return (uintptr_t)p - (uintptr_t)h < h->size;
}

static __attribute__((noinline)) int add_own(struct Ubfh *h, BFLDID id,
					     struct ow_ubf_val v)
{
	OW_CLEANUP(ow_cleanup_freep) void *copy = NULL;
	int r = ow_ubf_detach(h, &v, &copy);

	return r < 0 ? r : insert(h, add_at(h, id), id, v);
}

/* The way of every Badd, in one piece. */
__attribute__((flatten)) int ow_ubf_add(struct Ubfh *h, BFLDID id,
					struct ow_ubf_val v)
{
	if (in_buffer(h, v.data))
		return add_own(h, id, v);
	return insert(h, add_at(h, id), id, v);
}

/* No free space for the new chunk: give up the old one and compact. If that
 * fails, the entry is as it was. */
static int replace_squeezed(struct Ubfh *h, uint32_t at, struct ow_ubf_val v)
{
	struct ow_ubf_ent *e = ow_ubf_dir(h) + at, old = *e;
	uint64_t bytes = ow_ubf_round(v.len);
	int r;

	if (ow_ubf_live(h) - ow_ubf_round(e->len) + bytes > h->size)
		return -ENOSPC;
	e->len = 0;
	e->u.chunk = (struct ow_ubf_chunk){ 0, 0 };
	h->waste += old.u.chunk.cap;
	r = ow_ubf_reserve(h, at, 0, bytes);
	if (r < 0) {
		*e = old;
		h->waste -= old.u.chunk.cap;
		return r;
	}
	fill(h, ow_ubf_dir(h) + at, (BFLDID)old.id, v);
	return 0;
}

/* The value does not fit its chunk: get another one. */
static int replace_elsewhere(struct Ubfh *h, uint32_t at, struct ow_ubf_val v)
{
	struct ow_ubf_ent *e = ow_ubf_dir(h) + at;
	uint64_t bytes = ow_ubf_round(v.len);
	struct ow_ubf_chunk old = e->u.chunk;
	int last = ow_ubf_heap_base(h) + old.off + old.cap == h->used;

	if (last && (uint64_t)h->size - h->used + old.cap >= bytes) {
		h->used -= old.cap;
		fill(h, e, (BFLDID)e->id, v);
		return 0;
	}
	if (h->size - h->used < bytes)
		return replace_squeezed(h, at, v);
	fill(h, e, (BFLDID)e->id, v);
	ow_ubf_chunk_free(h, old);
	ow_ubf_tidy(h);
	return 0;
}

int ow_ubf_replace(struct Ubfh *h, uint32_t at, struct ow_ubf_val v)
{
	struct ow_ubf_ent *e = ow_ubf_dir(h) + at;
	unsigned int type = ow_ubf_id_type((BFLDID)e->id);
	uint64_t now = ow_ubf_round(e->len), then = ow_ubf_round(v.len);
	char *to;

	if (ow_ubf_type_fixed(type)) {
		e->u.fixed = fixed_word(v);
		return 0;
	}
	if (then > e->u.chunk.cap)
		return replace_elsewhere(h, at, v);
	to = ow_ubf_heap(h) + e->u.chunk.off;
	if (then < now)
		memset(to + then, 0, now - then);
	e->len = (uint32_t)v.len;
	put(to, type, v);
	return 0;
}

/* Fixed types and carrays have nothing in the heap, a string has its NUL. */
int ow_ubf_insert_defaults(struct Ubfh *h, uint32_t at, BFLDID id, uint32_t k)
{
	unsigned int type = ow_ubf_id_type(id);
	static const struct ow_ubf_view zero;
	struct ow_ubf_val v = { &zero, ow_ubf_types[type].size };
	struct Ubfh empty;
	struct ow_ubf_ent *e;
	uint64_t each;
	uint32_t i;
	int r;

	if (type == BFLD_STRING) {
		v.len = 1;
	} else if (type == BFLD_VIEW) {
		v.len = sizeof(zero);
	} else if (type == BFLD_UBF) {
		ow_ubf_init(&empty, sizeof(empty));
		v = (struct ow_ubf_val){ &empty, sizeof(empty) };
	}
	each = ow_ubf_type_fixed(type) ? 0 : ow_ubf_round(v.len);
	r = ow_ubf_reserve(h, at, k, each * k);
	if (r < 0)
		return r;
	e = open_gap(h, at, k, type);
	for (i = 0; i < k; i++)
		fill(h, e + i, id, v);
	return 0;
}

int ow_ubf_measure_any(unsigned int type, const char *buf, BFLDLEN len,
		       struct ow_ubf_val *ret_val)
{
	size_t n = ow_ubf_types[type].size;

	if (buf == NULL)
		return -EINVAL;
	if (type == BFLD_STRING) {
		n = strlen(buf) + 1;
	} else if (type == BFLD_CARRAY) {
		if (len < 0)
			return -EINVAL;
		n = (size_t)len;
	} else if (type == BFLD_UBF) {
		if (!ow_ubf_is((const struct Ubfh *)buf))
			return -EBADMSG;
		n = ((const struct Ubfh *)buf)->used;
	} else if (type == BFLD_VIEW) {
		return OW_UBF_APART;
	} else if (n == 0) {
		return -EPROTOTYPE;
	}
	if (n > OW_UBF_SIZE_MAX - sizeof(struct Ubfh))
		return -ENOSPC;
	*ret_val = (struct ow_ubf_val){ buf, n };
	return 0;
}

int ow_ubf_detach(const struct Ubfh *h, struct ow_ubf_val *v, void **ret_copy)
{
	*ret_copy = NULL;
	if ((uintptr_t)v->data - (uintptr_t)h >= h->size || v->len == 0)
		return 0;
	*ret_copy = malloc(v->len);
	if (*ret_copy == NULL)
		return -ENOMEM;
	v->data = memcpy(*ret_copy, v->data, v->len);
	return 0;
}
