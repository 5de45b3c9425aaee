/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - add, replace, remove entries of a buffer
 *
 * layout.h has the picture. The usual change is short: there is a free slot and
 * free space, one side of the directory moves by a few entries, and the value
 * is copied to the end of the heap. flat.c and pages.c move the slots; space.c
 * makes room when there is none.
 */
#include "libubf/store/store.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/store/chunk.h"
#include "libubf/store/header.h"
#include "libubf/store/pages.h"
#include "libubf/viewdef/field.h"

typedef uint16_t eight __attribute__((vector_size(16), aligned(2)));
typedef uint16_t four __attribute__((vector_size(8), aligned(2)));

/* Zeros, then ones: the numbers from OW_UBF_STARTS - 1 - t on are a mask whose
 * lane i is all ones if i > t. */
static const uint16_t edge[2 * OW_UBF_STARTS] = {
	[OW_UBF_STARTS ... 2 * OW_UBF_STARTS - 1] = UINT16_MAX
};

static __attribute__((noinline)) void shift_large(struct Ubfh *h,
						  unsigned int type, uint32_t k)
{
	uint32_t *start = ow_ubf_large(h);

	while (++type < OW_UBF_STARTS)
		start[type] += k;
}

/* Add k to start[] of all types above this one. */
static inline void shift_starts(struct Ubfh *h, unsigned int type, uint32_t k)
{
	const uint16_t *mask = edge + OW_UBF_STARTS - 1 - type, n = (uint16_t)k;

	if (__builtin_expect(h->slots > OW_UBF_SMALL_MAX, 0)) {
		shift_large(h, type, k);
		return;
	}
	*(eight *)h->start += *(const eight *)mask & n;
	*(four *)(h->start + 8) += *(const four *)(mask + 8) & n;
	h->start[12] = (uint16_t)(h->start[12] + n);
}

static __attribute__((noinline)) uint32_t make_slot(struct Ubfh *h, uint32_t at,
						    BFLDID id)
{
	if (h->pages > 0)
		return ow_ubf_pages_insert(h, at, id);
	return ow_ubf_gap(h, at, 1);
}

/* Open the slot of a new entry and set its id; returns the slot. */
static inline uint32_t open_slot(struct Ubfh *h, uint32_t at, BFLDID id)
{
	uint32_t slot = h->first + at;

	if (h->pages == 0 && at == ow_ubf_count(h) && slot < h->slots)
		;
	else if (h->pages == 0 && at == 0 && h->first > 0)
		slot = --h->first;
	else
		slot = make_slot(h, at, id);
	ow_ubf_ids(h)[slot] = (uint32_t)id;
	shift_starts(h, ow_ubf_id_type(id), 1);
	return slot;
}

void ow_ubf_remove(struct Ubfh *h, uint32_t at, uint32_t k)
{
	unsigned int type = ow_ubf_id_type(ow_ubf_id_at(h, at));
	uint32_t i;

	assert(k > 0 && at + k <= ow_ubf_count(h));
	for (i = k; i-- > 0 && !ow_ubf_type_fixed(type);)
		ow_ubf_chunk_free(h, type, ow_ubf_ent_at(h, at + i));
	if (h->pages == 0 && ow_ubf_far(h, at, k))
		(void)ow_ubf_paginate(h, 0);
	if (h->pages > 0)
		ow_ubf_pages_remove(h, at, k);
	else
		ow_ubf_close_gap(h, at, k);
	shift_starts(h, type, -k);
	ow_ubf_tidy(h);
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

/* Set the value of an entry; room is reserved. */
static inline void fill(struct Ubfh *h, struct ow_ubf_ent *e, unsigned int type,
			struct ow_ubf_val v)
{
	if (ow_ubf_type_fixed(type))
		e->u.fixed = fixed_word(v);
	else
		ow_ubf_chunk_put(h, e, type, v);
}

static inline int insert(struct Ubfh *h, uint32_t at, BFLDID id,
			 struct ow_ubf_val v)
{
	unsigned int type = ow_ubf_id_type(id);
	uint64_t bytes = 0, word;
	uint32_t slot;
	int r;

	if (ow_ubf_type_fixed(type)) {
		word = fixed_word(v);	/* may lie in the directory itself */
		v.data = &word;
	} else {
		bytes = ow_ubf_need(h, type, v.len);
	}
	if (h->slots == ow_ubf_count(h) || h->slots > OW_UBF_FLAT_MAX ||
	    h->size - h->used < bytes) {
		r = ow_ubf_reserve(h, at, 1, bytes);
		if (r < 0)
			return r;
	}
	slot = open_slot(h, at, id);
	fill(h, ow_ubf_words(h) + slot, type, v);
	return 0;
}

/* The rank of a new occurrence of a field. */
static inline uint32_t add_at(const struct Ubfh *h, BFLDID id)
{
	uint32_t count = ow_ubf_count(h);

	const uint32_t *ids = ow_ubf_ids(h) + h->first;

	if (h->pages > 0)
		return ow_ubf_upper(h, id);
	if (count == 0 || ids[count - 1] <= (uint32_t)id)
		return count;
	return ids[0] > (uint32_t)id ? 0 : ow_ubf_upper(h, id);
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

/* Every Badd() passes here: one function, without calls on the usual path. */
__attribute__((flatten)) int ow_ubf_add(struct Ubfh *h, BFLDID id,
					struct ow_ubf_val v)
{
	if (in_buffer(h, v.data))
		return add_own(h, id, v);
	return insert(h, add_at(h, id), id, v);
}

/* There is no free space for a new chunk: free the old one and compact. On
 * failure the entry keeps its value. */
static int replace_squeezed(struct Ubfh *h, uint32_t at, unsigned int type,
			    struct ow_ubf_val v)
{
	struct ow_ubf_ent *e = ow_ubf_ent_at(h, at), old = *e;
	uint64_t room = ow_ubf_room(type, v.len);
	uint32_t cap = ow_ubf_capacity(h, type, e);
	int r;

	if (ow_ubf_live(h) - ow_ubf_room(type, e->u.chunk.len) + room > h->size)
		return -ENOSPC;
	e->u.chunk = (struct ow_ubf_chunk){ 0, 0 };
	h->waste += cap;
	r = ow_ubf_compact(h, ow_ubf_count(h));
	if (r < 0) {
		*ow_ubf_ent_at(h, at) = old;
		h->waste -= cap;
		return r;
	}
	ow_ubf_chunk_put(h, ow_ubf_ent_at(h, at), type, v);
	return 0;
}

/* The value does not fit its chunk: use another one. */
static int replace_elsewhere(struct Ubfh *h, uint32_t at, unsigned int type,
			     struct ow_ubf_val v)
{
	struct ow_ubf_ent *e = ow_ubf_ent_at(h, at), old = *e;
	uint64_t room = ow_ubf_room(type, v.len);
	uint32_t cap = ow_ubf_capacity(h, type, e);
	int last = ow_ubf_chunk(h, e) + cap == (char *)h + h->used;

	if (last && cap > 0 && (uint64_t)h->size - h->used + cap >= room) {
		h->used -= cap;
		ow_ubf_chunk_put(h, e, type, v);
		return 0;
	}
	if (h->size - h->used < ow_ubf_need(h, type, v.len))
		return replace_squeezed(h, at, type, v);
	ow_ubf_chunk_put(h, e, type, v);
	ow_ubf_chunk_free(h, type, &old);
	ow_ubf_tidy(h);
	return 0;
}

int ow_ubf_replace(struct Ubfh *h, uint32_t at, struct ow_ubf_val v)
{
	uint32_t slot = ow_ubf_slot(h, at);
	struct ow_ubf_ent *e = ow_ubf_words(h) + slot;
	unsigned int type = ow_ubf_id_type((BFLDID)ow_ubf_ids(h)[slot]);

	if (ow_ubf_type_fixed(type)) {
		e->u.fixed = fixed_word(v);
		return 0;
	}
	if (ow_ubf_room(type, v.len) > ow_ubf_capacity(h, type, e))
		return replace_elsewhere(h, at, type, v);
	ow_ubf_chunk_set(h, e, type, v);
	return 0;
}

/* The default value of a type: 0, an empty carray, a string of its NUL, an
 * empty buffer or view. */
static struct ow_ubf_val default_of(unsigned int type, struct Ubfh *empty)
{
	static const struct ow_ubf_view zero;

	switch (type) {
	case BFLD_STRING:
		return (struct ow_ubf_val){ "", 1 };
	case BFLD_VIEW:
		return (struct ow_ubf_val){ &zero, sizeof(zero) };
	case BFLD_UBF:
		ow_ubf_init(empty, sizeof(*empty));
		return (struct ow_ubf_val){ empty, sizeof(*empty) };
	default:
		return (struct ow_ubf_val){ &zero, ow_ubf_type_size(type) };
	}
}

/* In a large directory the entries are inserted one by one, so that it may be
 * paged. */
int ow_ubf_insert_defaults(struct Ubfh *h, uint32_t at, BFLDID id, uint32_t k)
{
	unsigned int type = ow_ubf_id_type(id);
	struct Ubfh empty;
	struct ow_ubf_val v = default_of(type, &empty);
	uint64_t each = ow_ubf_type_fixed(type) ? 0 : ow_ubf_room(type, v.len);
	uint32_t i, slot;
	int r = 0;

	if (k * (each + OW_UBF_SLOT) > h->size)
		return -ENOSPC;
	if (h->slots > OW_UBF_FLAT_MAX) {
		for (i = 0; i < k && r == 0; i++)
			r = insert(h, at + i, id, v);
		if (r < 0 && i > 1)
			ow_ubf_remove(h, at, i - 1);
		return r;
	}
	r = ow_ubf_reserve(h, at, k, each * k + OW_UBF_ALIGN / 2);
	if (r < 0)
		return r;
	slot = ow_ubf_gap(h, at, k);
	shift_starts(h, type, k);
	for (i = 0; i < k; i++) {
		ow_ubf_ids(h)[slot + i] = (uint32_t)id;
		fill(h, ow_ubf_words(h) + slot + i, type, v);
	}
	return 0;
}

int ow_ubf_measure_any(unsigned int type, const char *buf, BFLDLEN len,
		       struct ow_ubf_val *ret_val)
{
	size_t n = ow_ubf_type_size(type);

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
	if (n > INT32_MAX)	/* not a BFLDLEN */
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
