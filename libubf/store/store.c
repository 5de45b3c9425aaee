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
#include "libubf/store/search.h"
#include "libubf/store/slots.h"
#include "libubf/viewdef/field.h"

void ow_ubf_remove(struct Ubfh *h, uint32_t at, uint32_t k)
{
	unsigned int type = ow_ubf_id_type(ow_ubf_id_at(h, at));
	uint32_t i;

	assert(k > 0 && at + k <= ow_ubf_count(h));
	for (i = k; i-- > 0 && !ow_ubf_type_fixed(type);)
		ow_ubf_chunk_free(h, type, ow_ubf_chunk_of(h,
				  ow_ubf_ent_at(h, type, at + i)));
	if (!ow_ubf_paged(h) && ow_ubf_far(h, at, k))
		(void)ow_ubf_paginate(h, 0);
	if (ow_ubf_paged(h)) {
		ow_ubf_pages_remove(h, at, k);
		ow_ubf_shift_starts(h, type, -k);
	} else {
		ow_ubf_close(h, at, type, k);
	}
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

/* Set the value of an entry of either form; room is reserved. */
static inline __attribute__((always_inline)) void
fill(struct Ubfh *h, struct ow_ubf_ent *e, unsigned int type,
     struct ow_ubf_val v, int plain)
{
	uint64_t word;

	if (!ow_ubf_type_fixed(type)) {
		ow_ubf_chunk_put(h, e, type, v, plain);
		return;
	}
	word = fixed_word(v);
	if (plain)
		*(uint64_t *)e = word;
	else if (ow_ubf_type_wide(type))
		memcpy((void *)e, &word, 8);
	else
		memcpy((void *)e, &word, 4);
}

/* Open the slot of a new entry in a plain, flat directory. */
static inline uint32_t open_slot(struct Ubfh *h, uint32_t at)
{
	struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint32_t slot = dir->first + at;

	if (at == ow_ubf_count_plain(h) && slot < dir->slots)
		return slot;
	if (at == 0 && dir->first > 0)
		return --dir->first;
	return ow_ubf_gap(h, at, 1);
}

/* Set id and value of a new entry of the plain form. Of a fixed type, v is the
 * whole word. */
static inline __attribute__((always_inline)) void
fill_slot(struct Ubfh *h, uint32_t slot, BFLDID id, struct ow_ubf_val v)
{
	unsigned int type = ow_ubf_id_type(id);

	ow_ubf_ids_plain(h)[slot] = (uint32_t)id;
	ow_ubf_shift_plain(h, type, 1);
	if (ow_ubf_type_fixed(type))
		ow_ubf_words(h)[slot] = *(const uint64_t *)v.data;
	else
		ow_ubf_chunk_put(h, (struct ow_ubf_ent *)(ow_ubf_words(h) +
							  slot), type, v, 1);
}

static void insert_dense(struct Ubfh *h, uint32_t at, BFLDID id,
			 struct ow_ubf_val v)
{
	unsigned int type = ow_ubf_id_type(id);
	struct ow_ubf_ent *e;
	uint32_t *ids;

	e = ow_ubf_open(h, at, type, 1, &ids);
	*ids = (uint32_t)id;
	fill(h, e, type, v, 0);
}

/* Between values of 8 bytes and strings of 4 the heap may need padding, so
 * ow_ubf_need() counts it. What fits without it has to fit: fields that fit one
 * buffer fit another of its size, in whatever order they come. */
static __attribute__((noinline)) int
insert_exactly(struct Ubfh *h, uint32_t at, BFLDID id, struct ow_ubf_val v)
{
	unsigned int type = ow_ubf_id_type(id);
	struct ow_ubf_want want = ow_ubf_want_of(
	    type, 1, ow_ubf_taken(type, v.len), v.len);
	struct ow_ubf_val empty = { v.data, 0 };
	int r = ow_ubf_reserve_exact(h, &want);

	if (r < 0)
		return r;
	if (ow_ubf_plain(h))
		fill_slot(h, open_slot(h, at), id, empty);
	else
		insert_dense(h, at, id, empty);
	ow_ubf_put_exact(h, at, v);
	return 0;
}

/* Make room and insert an entry. Of a fixed type, v is the whole word; of
 * others, `bytes` are what the value needs. */
static inline __attribute__((always_inline)) int
insert_anywhere(struct Ubfh *h, uint32_t at, BFLDID id, struct ow_ubf_val v,
		uint64_t bytes)
{
	unsigned int type = ow_ubf_id_type(id);
	struct ow_ubf_want want = ow_ubf_want_of(type, 1, bytes, v.len);
	uint32_t slot;
	int r = ow_ubf_reserve(h, at, &want);

	if (r == -ENOSPC && bytes > ow_ubf_taken(type, v.len) && v.len > 0)
		return insert_exactly(h, at, id, v);
	if (r < 0)
		return r;
	if (!ow_ubf_plain(h)) {
		insert_dense(h, at, id, v);
		return 0;
	}
	slot = ow_ubf_usual(h) ? open_slot(h, at)
			       : ow_ubf_pages_insert(h, at, id);
	fill_slot(h, slot, id, v);
	return 0;
}

static __attribute__((noinline)) int
insert_slowly(struct Ubfh *h, uint32_t at, BFLDID id, struct ow_ubf_val v,
	      uint64_t bytes)
{
	return insert_anywhere(h, at, id, v, bytes);
}

/* Insert an entry into a usual buffer. If it has a free slot and room for the
 * value, nothing else has to be done. */
static inline int insert_usual(struct Ubfh *h, uint32_t at, BFLDID id,
			       struct ow_ubf_val v)
{
	const struct ow_ubf_dir *dir = ow_ubf_dir(h);
	unsigned int type = ow_ubf_id_type(id);
	uint64_t bytes = 0, word;

	if (ow_ubf_type_fixed(type)) {
		word = fixed_word(v);
		v = (struct ow_ubf_val){ &word, sizeof(word) };
	} else {
		bytes = ow_ubf_need(type, v.len);
	}
	if (dir->slots == ow_ubf_count_plain(h) ||
	    dir->slots > OW_UBF_FLAT_MAX || h->size - h->used < bytes)
		return insert_slowly(h, at, id, v, bytes);
	fill_slot(h, open_slot(h, at), id, v);
	return 0;
}

/* Insert an entry into any buffer. */
static inline __attribute__((always_inline)) int
insert(struct Ubfh *h, uint32_t at, BFLDID id, struct ow_ubf_val v)
{
	unsigned int type = ow_ubf_id_type(id);
	uint64_t bytes = 0, word;

	if (ow_ubf_type_fixed(type)) {
		word = fixed_word(v);	/* may lie in the directory itself */
		v = (struct ow_ubf_val){ &word, sizeof(word) };
	} else {
		bytes = ow_ubf_need(type, v.len);
	}
	return insert_anywhere(h, at, id, v, bytes);
}

/* The rank of a new occurrence of a field in a usual buffer. */
static inline uint32_t add_at(const struct Ubfh *h, BFLDID id)
{
	const struct ow_ubf_dir *dir = ow_ubf_dir(h);
	const uint32_t *ids = ow_ubf_ids_plain(h) + dir->first;
	uint32_t count = ow_ubf_count_plain(h);

	if (count == 0 || ids[count - 1] <= (uint32_t)id)
		return count;
	return ids[0] > (uint32_t)id ? 0 : ow_ubf_upper(h, id);
}

static inline int in_buffer(const struct Ubfh *h, const void *p)
{
	return (uintptr_t)p - (uintptr_t)h < h->size;
}

static __attribute__((noinline)) int add_slowly(struct Ubfh *h, BFLDID id,
						struct ow_ubf_val v)
{
	OW_CLEANUP(ow_cleanup_freep) void *copy = NULL;
	int r = in_buffer(h, v.data) ? ow_ubf_detach(h, &v, &copy) : 0;

	return r < 0 ? r : insert(h, ow_ubf_upper(h, id), id, v);
}

/* Nearly every Badd() passes here: one function, which saves registers only
 * once. */
static __attribute__((noinline, flatten)) int
add_usual(struct Ubfh *h, BFLDID id, struct ow_ubf_val v)
{
	return insert_usual(h, add_at(h, id), id, v);
}

int ow_ubf_add(struct Ubfh *h, BFLDID id, struct ow_ubf_val v)
{
	return ow_ubf_usual(h) && !in_buffer(h, v.data)
		       ? add_usual(h, id, v)
		       : add_slowly(h, id, v);
}

/* There is no free space for a new chunk: free the old one and compact. On
 * failure the entry keeps its value. */
static int replace_squeezed(struct Ubfh *h, uint32_t at, unsigned int type,
			    struct ow_ubf_val v)
{
	struct ow_ubf_ent *e = ow_ubf_ent_at(h, type, at);
	struct ow_ubf_chunk old = ow_ubf_chunk_of(h, e);
	uint32_t cap = ow_ubf_capacity(h, type, old);
	int r;

	if (ow_ubf_live(h) - ow_ubf_taken(type, old.len) +
		ow_ubf_need(type, v.len) >
	    ow_ubf_limit(h))
		return -ENOSPC;
	ow_ubf_chunk_write(h, e, (struct ow_ubf_chunk){ 0, 0 });
	ow_ubf_add_waste(h, cap);
	r = ow_ubf_compact(h, NULL);
	e = ow_ubf_ent_at(h, type, at);
	if (r < 0) {
		ow_ubf_chunk_write(h, e, old);
		ow_ubf_add_waste(h, -cap);
		return r;
	}
	ow_ubf_chunk_put(h, e, type, v, ow_ubf_plain(h));
	return 0;
}

/* The value does not fit its chunk: use another one. */
static int replace_elsewhere(struct Ubfh *h, uint32_t at, unsigned int type,
			     struct ow_ubf_val v)
{
	struct ow_ubf_ent *e = ow_ubf_ent_at(h, type, at);
	struct ow_ubf_chunk old = ow_ubf_chunk_of(h, e);
	uint64_t need = ow_ubf_need(type, v.len);
	uint32_t cap = ow_ubf_capacity(h, type, old);
	int last = ow_ubf_chunk_at(h, old) + cap == (char *)h + h->used;
	int plain = ow_ubf_plain(h);

	if (last && cap > 0 &&
	    (uint64_t)ow_ubf_limit(h) - h->used + cap >= need) {
		h->used -= cap;
		ow_ubf_chunk_put(h, e, type, v, plain);
		return 0;
	}
	if (!ow_ubf_fits(h, need, v.len))
		return replace_squeezed(h, at, type, v);
	ow_ubf_chunk_put(h, e, type, v, plain);
	ow_ubf_chunk_free(h, type, old);
	ow_ubf_tidy(h);
	return 0;
}

/* Whether only the plain form can hold the value in place of another. */
static int outgrows(const struct Ubfh *h, unsigned int type,
		    struct ow_ubf_val v)
{
	return !ow_ubf_plain(h) &&
	       (v.len > OW_UBF_DENSE_LEN ||
		(h->size > OW_UBF_DENSE_BYTES &&
		 !ow_ubf_fits(h, ow_ubf_need(type, v.len), v.len)));
}

/* The value does not fit its chunk: use another one, and the other form if that
 * has the room for it. */
static __attribute__((noinline)) int
replace_grown(struct Ubfh *h, uint32_t at, unsigned int type,
	      struct ow_ubf_val v)
{
	int r = outgrows(h, type, v) ? ow_ubf_make_plain(h) : 0;
	struct ow_ubf_want want;

	if (r == 0)
		r = replace_elsewhere(h, at, type, v);
	if (r != -ENOSPC || !ow_ubf_plain(h))
		return r;
	want = ow_ubf_want_of(type, 0, ow_ubf_need(type, v.len), v.len);
	r = ow_ubf_reserve(h, at, &want);	/* the dense form may suffice */
	return r < 0 ? r : replace_elsewhere(h, at, type, v);
}

static inline __attribute__((always_inline)) int
replace(struct Ubfh *h, uint32_t at, struct ow_ubf_val v, int plain)
{
	unsigned int type = ow_ubf_id_type(ow_ubf_id_at(h, at));
	struct ow_ubf_ent *e = ow_ubf_ent_at(h, type, at);

	if (ow_ubf_type_fixed(type))
		fill(h, e, type, v, plain);
	else if (ow_ubf_taken(type, v.len) <=
		 ow_ubf_capacity(h, type, ow_ubf_chunk_read(e, plain)))
		ow_ubf_chunk_set(h, e, type, v, plain);
	else
		return replace_grown(h, at, type, v);
	return 0;
}

static __attribute__((noinline)) int
replace_other(struct Ubfh *h, uint32_t at, struct ow_ubf_val v)
{
	return replace(h, at, v, ow_ubf_plain(h));
}

int ow_ubf_replace(struct Ubfh *h, uint32_t at, struct ow_ubf_val v)
{
	return ow_ubf_usual(h) ? replace(h, at, v, 1)
			       : replace_other(h, at, v);
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
	uint64_t each = ow_ubf_type_fixed(type) ? 0 : ow_ubf_taken(type, v.len);
	struct ow_ubf_want want = ow_ubf_want_of(type, k, each * k +
						 OW_UBF_HEAP_UNIT, v.len);
	uint32_t i, *ids, width;
	struct ow_ubf_ent *e;
	int r = 0, plain;

	if (k * (each + 8) > h->size)
		return -ENOSPC;
	if (ow_ubf_count(h) > OW_UBF_FLAT_MAX) {
		for (i = 0; i < k && r == 0; i++)
			r = insert(h, at + i, id, v);
		if (r < 0 && i > 1)
			ow_ubf_remove(h, at, i - 1);
		return r;
	}
	r = ow_ubf_reserve(h, at, &want);
	if (r == 0)
		r = ow_ubf_flatten(h);
	if (r < 0)
		return r;
	e = ow_ubf_open(h, at, type, k, &ids);
	width = ow_ubf_width(h, type);
	plain = ow_ubf_plain(h);
	for (i = 0; i < k; i++, e = ow_ubf_ent_step(e, width, 1)) {
		ids[i] = (uint32_t)id;
		fill(h, e, type, v, plain);
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
