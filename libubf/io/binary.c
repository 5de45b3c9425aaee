/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binary.c - the binary form of a buffer
 *
 * A body is read twice: first to check it and to compute the size of the
 * buffer, then to fill a buffer of that size. The first pass trusts nothing,
 * the second one relies on the first.
 */
#include "libubf/io/binary.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/base/crc32.h"
#include "libubf/store/header.h"
#include "libubf/store/store.h"
#include "libubf/viewdef/field.h"

#define ENTRY 8u	/* bytes of id and length */
#define COUNT 4u	/* bytes of the number of fields */

/* ---- writing ---- */

/* Bytes of the body of a buffer; an embedded buffer is a body in it. */
static size_t body_len(const struct Ubfh *h, bool pointers)
{
	uint32_t i, count = ow_ubf_count(h);
	size_t n = COUNT;

	for (i = 0; i < count; i++) {
		unsigned int type = ow_ubf_id_type(ow_ubf_id_at(h, i));
		struct ow_ubf_val v = ow_ubf_val_at(h, type, i);

		if (type == BFLD_PTR && !pointers)
			continue;
		n += ENTRY;
		n += type == BFLD_UBF ? body_len(v.data, pointers) : v.len;
	}
	return n;
}

static char *put_word(char *to, uint32_t word)
{
	memcpy(to, &word, sizeof(word));
	return to + sizeof(word);
}

static char *put_body(char *to, const struct Ubfh *h, bool pointers)
{
	uint32_t i, count = ow_ubf_count(h), n = 0;
	char *at, *begin = to;

	to += COUNT;
	for (i = 0; i < count; i++) {
		BFLDID id = ow_ubf_id_at(h, i);
		unsigned int type = ow_ubf_id_type(id);
		struct ow_ubf_val v = ow_ubf_val_at(h, type, i);

		if (type == BFLD_PTR && !pointers)
			continue;
		n++;
		to = put_word(to, (uint32_t)id);
		if (type == BFLD_UBF) {
			at = to;
			to = put_body(to + 4, v.data, pointers);
			(void)put_word(at, (uint32_t)(to - at) - 4);
		} else {
			to = put_word(to, (uint32_t)v.len);
			memcpy(to, v.data, v.len);
			to += v.len;
		}
	}
	(void)put_word(begin, n);
	return to;
}

int ow_ubf_binary_encode(const UBFH *p_ub, bool pointers, char **ret_data,
			 size_t *ret_len)
{
	struct ow_ubf_binary_head head = { OW_UBF_BINARY_MAGIC,
					   OW_UBF_BINARY_VERSION,
					   OW_UBF_BINARY_ORDER, 0, 0,
					   body_len(p_ub, pointers) };
	char *data = malloc(sizeof(head) + head.len);

	if (data == NULL)
		return -ENOMEM;
	(void)put_body(data + sizeof(head), p_ub, pointers);
	head.crc = ow_crc32(data + sizeof(head), head.len);
	memcpy(data, &head, sizeof(head));
	*ret_data = data;
	*ret_len = sizeof(head) + head.len;
	return 0;
}

/* ---- reading ---- */

struct cursor {
	const char *at, *end;
	int swap;	/* numbers are in the other byte order */
	int depth;
	bool pointers;	/* keep fields of type ptr */
};

struct entry {
	BFLDID id;
	uint32_t len;
	const char *value;
};

int64_t ow_ubf_binary_head(const struct ow_ubf_binary_head *head, int *ret_swap)
{
	int swap = head->order == __builtin_bswap16(OW_UBF_BINARY_ORDER);
	uint16_t version = head->version;
	uint64_t len = head->len;

	if (memcmp(head->magic, OW_UBF_BINARY_MAGIC, 4) != 0 ||
	    (head->order != OW_UBF_BINARY_ORDER && !swap))
		return -EBADMSG;
	if (swap) {
		version = __builtin_bswap16(version);
		len = __builtin_bswap64(len);
	}
	if (version != OW_UBF_BINARY_VERSION)
		return -EPROTO;
	if (len < COUNT || len > MAXUBFLEN)
		return -EBADMSG;
	*ret_swap = swap;
	return (int64_t)len;
}

/* Read a number; the caller has checked that four bytes are left. */
static uint32_t take_word(struct cursor *c)
{
	uint32_t word;

	memcpy(&word, c->at, sizeof(word));
	c->at += sizeof(word);
	return c->swap ? __builtin_bswap32(word) : word;
}

static int take_entry(struct cursor *c, struct entry *e)
{
	if (c->end - c->at < (ptrdiff_t)ENTRY)
		return -EBADMSG;
	e->id = (BFLDID)take_word(c);
	e->len = take_word(c);
	e->value = c->at;
	if (!ow_ubf_id_ok(e->id) || e->len > (size_t)(c->end - c->at))
		return -EBADMSG;
	c->at += e->len;
	return 0;
}

static int measure(struct cursor *c, uint64_t *ret_room);

/* A cursor for the body of an embedded buffer. */
static struct cursor inside(const struct cursor *c, const struct entry *e)
{
	return (struct cursor){ e->value, e->value + e->len, c->swap,
				c->depth + 1, c->pointers };
}

/* Copy a view as it lies in a buffer: aligned, numbers in our byte order. The
 * caller frees *ret_copy. */
static int copy_view(const struct cursor *c, const struct entry *e,
		     void **ret_copy)
{
	struct ow_ubf_view *h;

	if (e->len < sizeof(*h))
		return -EBADMSG;
	if (c->swap && e->len > sizeof(*h))
		return -ENXIO;
	h = malloc(e->len);
	if (h == NULL)
		return -ENOMEM;
	memcpy(h, e->value, e->len);
	if (c->swap) {
		h->vflags = __builtin_bswap32(h->vflags);
		h->cksum = __builtin_bswap32(h->cksum);
	}
	*ret_copy = h;
	return 0;
}

static int check_view(const struct cursor *c, const struct entry *e)
{
	OW_CLEANUP(ow_cleanup_freep) void *copy = NULL;
	int r = copy_view(c, e, &copy);

	if (r == 0 && ow_ubf_view_check((struct ow_ubf_val){ copy, e->len }))
		r = -ENXIO;
	return r;
}

/* Check a value and add the bytes that it takes in a buffer to *room. */
static int measure_value(const struct cursor *c, const struct entry *e,
			 uint64_t *room)
{
	unsigned int type = ow_ubf_id_type(e->id);
	struct cursor in = inside(c, e);
	uint64_t sub = e->len;
	int r = 0;

	if (ow_ubf_type_fixed(type))
		r = e->len == ow_ubf_types[type].size ? 0 : -EBADMSG;
	else if (type == BFLD_STRING)
		r = e->len > 0 && memchr(e->value, 0, e->len) ==
					  e->value + e->len - 1
			    ? 0
			    : -EBADMSG;
	else if (type == BFLD_UBF)
		r = measure(&in, &sub);
	else if (type == BFLD_VIEW)
		r = check_view(c, e);
	*room += sub;
	return r;
}

/* Check a body and compute the size of a buffer for it. */
static int measure(struct cursor *c, uint64_t *ret_room)
{
	uint64_t values = 0;
	uint32_t count, i;
	BFLDID before = 0;
	struct entry e;
	int r = 0;

	if (c->depth > OW_UBF_DEPTH_MAX || c->end - c->at < (ptrdiff_t)COUNT)
		return -EBADMSG;
	count = take_word(c);
	for (i = 0; i < count && r == 0; i++) {
		r = take_entry(c, &e);
		if (r == 0 && e.id < before)
			r = -EBADMSG;
		if (r < 0)
			return r;
		before = e.id;
		r = measure_value(c, &e, &values);
	}
	if (r < 0)
		return r;
	if (c->at != c->end)
		return -EBADMSG;
	if (count > INT_MAX / 32 || values > INT_MAX / 2)
		return -ENOSPC;
	*ret_room = ow_ubf_needed(count, (uint32_t)values);
	return 0;
}

static int decode(struct cursor *c, UBFH **ret_ub);

static int add_embedded(UBFH *p, const struct cursor *c, const struct entry *e)
{
	OW_CLEANUP(ow_cleanup_freep) UBFH *sub = NULL;
	struct cursor in = inside(c, e);
	struct ow_ubf_val v;
	int r = decode(&in, &sub);

	if (r == 0)
		r = ow_ubf_measure(BFLD_UBF, (const char *)sub, 0, &v);
	return r == 0 ? ow_ubf_add(p, e->id, v) : r;
}

static int add_view(UBFH *p, const struct cursor *c, const struct entry *e)
{
	OW_CLEANUP(ow_cleanup_freep) void *copy = NULL;
	int r = copy_view(c, e, &copy);

	return r == 0 ? ow_ubf_add(p, e->id,
				   (struct ow_ubf_val){ copy, e->len })
		      : r;
}

/* Copy a number of the other byte order. */
static void swap_bytes(char *to, const char *from, uint32_t n)
{
	while (n-- > 0)
		*to++ = from[n];
}

static int add_value(UBFH *p, const struct cursor *c, const struct entry *e)
{
	unsigned int type = ow_ubf_id_type(e->id);
	struct ow_ubf_val v = { e->value, e->len };
	char number[8];

	if (type == BFLD_UBF)
		return add_embedded(p, c, e);
	if (type == BFLD_VIEW)
		return add_view(p, c, e);
	if (c->swap && ow_ubf_type_fixed(type)) {
		swap_bytes(number, e->value, e->len);
		v.data = number;
	}
	return ow_ubf_add(p, e->id, v);
}

/* Make a malloc'ed buffer of a body. */
static int decode(struct cursor *c, UBFH **ret_ub)
{
	OW_CLEANUP(ow_cleanup_freep) UBFH *p = NULL;
	struct cursor first = *c;
	uint64_t room = 0;
	struct entry e;
	uint32_t count;
	int r = measure(&first, &room);

	if (r < 0)
		return r;
	p = malloc(room);
	if (p == NULL)
		return -ENOMEM;
	r = ow_ubf_init(p, room);
	for (count = take_word(c); count > 0 && r == 0; count--) {
		r = take_entry(c, &e);
		if (r == 0 && (c->pointers || ow_ubf_id_type(e.id) != BFLD_PTR))
			r = add_value(p, c, &e);
	}
	if (r < 0)
		return r;
	*ret_ub = p;
	p = NULL;
	return 0;
}

int ow_ubf_binary_decode(const struct ow_ubf_binary_head *head,
			 const char *body, bool pointers, UBFH **ret_ub)
{
	struct cursor c = { .at = body, .pointers = pointers };
	int64_t len = ow_ubf_binary_head(head, &c.swap);
	uint32_t crc = c.swap ? __builtin_bswap32(head->crc) : head->crc;

	if (len < 0)
		return (int)len;
	if (crc != ow_crc32(body, (size_t)len))
		return -EBADMSG;
	c.end = body + len;
	return decode(&c, ret_ub);
}
