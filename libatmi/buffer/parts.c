/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.c - the buffers that a UBF buffer points to, in one payload with it
 *
 *	the UBF buffer | tail | part, contents | part, contents | ...
 *
 * each at a multiple of 8 bytes. A part tells the address that its buffer had
 * in the sender, which is what the pointers in the payload hold: the sender
 * rewrites nothing, and the receiver looks the pointers up among the parts.
 */
#include "libatmi/buffer/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/buffer/contents.h"
#include "libatmi/buffer/registry.h"
#include "libubf/store/header.h"
#include "libubf/store/pointers.h"

#define ROUND8(n) (((n) + 7) & ~(uint64_t)7)

struct tail {
	uint64_t root; /* the sender's address of the UBF buffer */
	uint32_t count;
	uint32_t pad;
};

struct wire_part {
	uint64_t key; /* the sender's address */
	uint64_t len;
	uint32_t type;
	uint32_t sub_len;
};

/* ---- sending ---- */

/* A buffer that the UBF buffer points to, directly or not. */
struct pointee {
	UT_hash_handle hh; /* iterates in the order of entry */
	char *data;
	struct ow_buf_info info;
	size_t len;
};

struct pointees {
	struct pointee *all;
	char *root;
	size_t len; /* of the tail and what follows it */
	uint32_t count;
	int error;
};

static void free_pointees(struct pointees *p)
{
	struct pointee *m, *next;

	HASH_ITER(hh, p->all, m, next) {
		HASH_DEL(p->all, m);
		free(m);
	}
}

/* Enter the buffer at *pointer unless it is entered, is of type TPINIT, which
 * does not travel, or is none of ours. */
static void add_pointee(void *ctx, void **pointer)
{
	struct pointees *p = ctx;
	struct ow_buf_info info;
	struct pointee *m;

	if (p->error != 0 || *pointer == NULL || *pointer == p->root)
		return;
	HASH_FIND_PTR(p->all, pointer, m);
	if (m != NULL || ow_buf_find(*pointer, &info) != 0 ||
	    info.type == OW_BUF_TPINIT)
		return;
	m = calloc(1, sizeof(*m));
	if (m == NULL) {
		p->error = -ENOMEM;
		return;
	}
	m->data = *pointer;
	m->info = info;
	HASH_ADD_PTR(p->all, data, m);
	if (m->hh.tbl == NULL) {
		free(m);
		p->error = -ENOMEM;
		return;
	}
	/* A pointer does not tell how many bytes of a CARRAY count: all. */
	p->error = ow_buf_wire_len(m->data, &info, (long)info.size, &m->len);
	p->len += sizeof(struct wire_part) + ROUND8(m->len);
	p->count++;
}

/* Enter all that can be reached; the list grows during the loop. */
static int add_reachable(struct pointees *p)
{
	struct pointee *m;

	ow_ubf_each_pointer((UBFH *)(void *)p->root, add_pointee, p);
	for (m = p->all; m != NULL && p->error == 0; m = m->hh.next)
		if (m->info.type == OW_BUF_UBF)
			ow_ubf_each_pointer((UBFH *)(void *)m->data,
					    add_pointee, p);
	return p->error;
}

static void write_all(const struct pointees *p, size_t image, char *to)
{
	struct tail tail = { .root = (uintptr_t)p->root, .count = p->count };
	const struct pointee *m;

	memcpy(to, p->root, image);
	to += ROUND8(image);
	memcpy(to, &tail, sizeof(tail));
	to += sizeof(tail);
	for (m = p->all; m != NULL; m = m->hh.next) {
		struct wire_part part = { .key = (uintptr_t)m->data,
					  .len = m->len,
					  .type = m->info.type };

		part.sub_len = ow_buf_to_wire(m->info.view, m->data, m->len,
					      to + sizeof(part));
		memcpy(to, &part, sizeof(part));
		to += sizeof(part) + ROUND8(m->len);
	}
}

int ow_parts_flatten_all(const char *data, char **ret_flat, size_t *ret_len)
{
	struct pointees p = { .root = (char *)data,
			      .len = sizeof(struct tail) };
	size_t image = ow_ubf_used(data);
	char *flat = NULL;
	int r;

	r = add_reachable(&p);
	if (r == 0 && p.count > 0) {
		p.len += ROUND8(image);
		flat = calloc(1, p.len);
		if (flat == NULL)
			r = -ENOMEM;
		else
			write_all(&p, image, flat);
	}
	free_pointees(&p);
	if (r != 0)
		return r;
	*ret_flat = flat;
	if (flat != NULL)
		*ret_len = p.len;
	return 0;
}

/* ---- receiving ---- */

struct ow_part {
	uint64_t key;
	char *data;
	bool ubf;
};

static int by_key(const void *a, const void *b)
{
	const struct ow_part *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int make_part(const struct wire_part *w, const char *payload,
		     struct ow_part *part)
{
	enum ow_buf_type type = (enum ow_buf_type)w->type;
	long len;

	part->key = w->key;
	part->ubf = type == OW_BUF_UBF;
	if (type == OW_BUF_VIEW)
		return ow_buf_from_view(payload, w->len, w->sub_len,
					&part->data, &len);
	if (type == OW_BUF_NULL) {
		part->data = ow_buf_new(OW_BUF_NULL, 0);
		return part->data == NULL ? -ENOMEM : 0;
	}
	/* Its pointers can be looked up only when all parts are made. */
	return ow_contents_take(type, payload, w->len, &part->data, &len);
}

static int make_all(struct ow_parts *p, const char *at, const char *end,
		    uint32_t count)
{
	struct wire_part w;
	int r;

	for (; p->count < count; p->count++) {
		if ((size_t)(end - at) < sizeof(w))
			return -EBADMSG;
		memcpy(&w, at, sizeof(w));
		at += sizeof(w);
		if (w.len > (size_t)(end - at) ||
		    ROUND8(w.len) > (size_t)(end - at) || w.sub_len > w.len ||
		    (w.type == OW_BUF_NULL && w.len > 0))
			return -EBADMSG;
		r = make_part(&w, at, p->list + p->count);
		if (r != 0)
			return r;
		at += ROUND8(w.len);
	}
	return at == end ? 0 : -EBADMSG;
}

int ow_parts_open_all(const void *payload, size_t len, struct ow_parts *ret)
{
	size_t image = ROUND8(ow_ubf_used(payload));
	const char *at = (const char *)payload + image;
	struct ow_parts p = { 0 };
	struct tail tail;
	int r;

	if (len < image || len - image < sizeof(tail))
		return -EBADMSG;
	memcpy(&tail, at, sizeof(tail));
	if (tail.count > (len - image) / sizeof(struct wire_part))
		return -EBADMSG;
	p.root = tail.root;
	p.list = calloc(tail.count + 1, sizeof(*p.list));
	if (p.list == NULL)
		return -ENOMEM;
	r = make_all(&p, at + sizeof(tail), (const char *)payload + len,
		     tail.count);
	if (r != 0) {
		ow_parts_drop(&p);
		return r;
	}
	qsort(p.list, p.count, sizeof(*p.list), by_key);
	*ret = p;
	return 0;
}

struct link {
	const struct ow_parts *parts;
	char *root;
};

static void relink(void *ctx, void **pointer)
{
	const struct link *l = ctx;
	struct ow_part key = { .key = (uintptr_t)*pointer }, *found = NULL;

	if (l->parts->count > 0)
		found = bsearch(&key, l->parts->list, l->parts->count,
				sizeof(key), by_key);
	if (found != NULL)
		*pointer = found->data;
	else
		*pointer = l->parts->list != NULL &&
					   key.key == l->parts->root
				   ? l->root
				   : NULL;
}

void ow_parts_link_all(struct ow_parts *p, char *data)
{
	struct link l = { .parts = p, .root = data };
	uint64_t group = p->count > 0 ? ow_reg_next_group() : 0;
	uint32_t i;

	ow_ubf_each_pointer((UBFH *)(void *)data, relink, &l);
	if (group != 0)
		ow_reg_find(data)->group = group;
	for (i = 0; i < p->count; i++) {
		ow_reg_find(p->list[i].data)->group = group;
		if (p->list[i].ubf)
			ow_ubf_each_pointer((UBFH *)(void *)p->list[i].data,
					    relink, &l);
	}
	free(p->list);
	*p = (struct ow_parts){ 0 };
}

/* Frees the parts one by one: their pointers are the sender's addresses. */
void ow_parts_drop(struct ow_parts *p)
{
	uint32_t i;

	for (i = 0; i < p->count; i++)
		ow_buf_free(p->list[i].data);
	free(p->list);
	*p = (struct ow_parts){ 0 };
}
