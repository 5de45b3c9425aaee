/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.c - buffers that a UBF buffer points to travel with it
 *
 *	the buffer as ever | tail | part, contents | part, contents | ...
 *
 * each at a multiple of 8. A part names the address that it had at the
 * sender's, which is what the pointers still say: nothing is rewritten before
 * it is sent, and a receiver finds what a pointer means by looking it up.
 */
#include "libatmi/buffer/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/buffer/registry.h"
#include "libubf/store/check.h"
#include "libubf/store/pointers.h"

#define ROUND8(n) (((n) + 7) & ~(uint64_t)7)

struct tail {
	uint64_t root;
	uint32_t count;
	uint32_t pad;
};

struct wire_part {
	uint64_t key;
	uint64_t len;
	uint32_t type;
	uint32_t sub_len;
};

/* ---- sending ---- */

/* A buffer that is pointed to. */
struct member {
	UT_hash_handle hh;	/* iterates in order of entry */
	char *data;
	struct ow_buf_info info;
	size_t len;
};

struct crew {
	struct member *all;
	char *root;
	size_t len;	/* of the tail and what follows it */
	uint32_t count;
	int error;
};

static void dismiss(struct crew *c)
{
	struct member *m, *next;

	HASH_ITER(hh, c->all, m, next) {
		HASH_DEL(c->all, m);
		free(m);
	}
}

static int measure(struct member *m)
{
	if (m->info.type == OW_BUF_CARRAY) {
		m->len = m->info.size; /* nobody says how many count */
		return 0;
	}
	return ow_buf_wire_len(m->data, &m->info, 0, &m->len);
}

/* TPINIT does not travel, nor does what is no buffer. */
static void enlist(void *ctx, void **pointer)
{
	struct crew *c = ctx;
	struct ow_buf_info info;
	struct member *m;

	if (c->error != 0 || *pointer == NULL || *pointer == c->root)
		return;
	HASH_FIND_PTR(c->all, pointer, m);
	if (m != NULL || ow_buf_find(*pointer, &info) != 0 ||
	    info.type == OW_BUF_TPINIT)
		return;
	m = calloc(1, sizeof(*m));
	if (m == NULL) {
		c->error = -ENOMEM;
		return;
	}
	m->data = *pointer;
	m->info = info;
	HASH_ADD_PTR(c->all, data, m);
	if (m->hh.tbl == NULL) {
		free(m);
		c->error = -ENOMEM;
		return;
	}
	c->error = measure(m);
	c->len += sizeof(struct wire_part) + ROUND8(m->len);
	c->count++;
}

/* Everybody who can be reached; the list grows while it is gone through. */
static int gather(struct crew *c)
{
	struct member *m;

	ow_ubf_each_pointer((UBFH *)(void *)c->root, enlist, c);
	for (m = c->all; m != NULL && c->error == 0; m = m->hh.next)
		if (m->info.type == OW_BUF_UBF)
			ow_ubf_each_pointer((UBFH *)(void *)m->data, enlist, c);
	return c->error;
}

static void write_all(const struct crew *c, size_t image, char *to)
{
	struct tail tail = { .root = (uintptr_t)c->root, .count = c->count };
	const struct member *m;

	memcpy(to, c->root, image);
	to += ROUND8(image);
	memcpy(to, &tail, sizeof(tail));
	to += sizeof(tail);
	for (m = c->all; m != NULL; m = m->hh.next) {
		struct wire_part part = { .key = (uintptr_t)m->data,
					  .len = m->len,
					  .type = m->info.type };

		part.sub_len = ow_buf_to_wire(m->info.view, m->data, m->len,
					      to + sizeof(part));
		memcpy(to, &part, sizeof(part));
		to += sizeof(part) + ROUND8(m->len);
	}
}

int ow_parts_flatten(const char *data, char **ret_flat, size_t *ret_len)
{
	struct crew c = { .root = (char *)data, .len = sizeof(struct tail) };
	size_t image = ow_ubf_used(data);
	char *flat = NULL;
	int r;

	if (!ow_ubf_points((const UBFH *)(const void *)data))
		return 0;
	r = gather(&c);
	if (r == 0 && c.count > 0) {
		c.len += ROUND8(image);
		flat = calloc(1, c.len);
		if (flat == NULL)
			r = -ENOMEM;
		else
			write_all(&c, image, flat);
	}
	dismiss(&c);
	if (r != 0)
		return r;
	*ret_flat = flat;
	if (flat != NULL)
		*ret_len = c.len;
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
		part->data = ow_buf_new(OW_BUF_NULL, -1, 0);
		return part->data == NULL ? -ENOMEM : 0;
	}
	/* Which pointers it has means nothing before all are made. */
	return ow_reg_take(type, payload, w->len, &part->data, &len);
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

int ow_parts_open(const void *payload, size_t len, struct ow_parts *ret)
{
	size_t image = ROUND8(ow_ubf_used(payload));
	const char *at = (const char *)payload + image;
	struct ow_parts p = { 0 };
	struct tail tail;
	int r;

	*ret = p;
	if (ow_ubf_used(payload) == len)
		return 0;
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

/* Which buffers came together. */
static uint64_t next_party(void)
{
	static _Atomic uint64_t last;

	return ++last;
}

void ow_parts_link(struct ow_parts *p, char *data)
{
	struct link l = { .parts = p, .root = data };
	uint64_t party = p->count > 0 ? next_party() : 0;
	uint32_t i;

	ow_ubf_each_pointer((UBFH *)(void *)data, relink, &l);
	if (party != 0)
		ow_reg_find(data)->party = party;
	for (i = 0; i < p->count; i++) {
		ow_reg_find(p->list[i].data)->party = party;
		if (p->list[i].ubf)
			ow_ubf_each_pointer((UBFH *)(void *)p->list[i].data,
					    relink, &l);
	}
	free(p->list);
	*p = (struct ow_parts){ 0 };
}

/* Their pointers are still addresses of somebody else. */
void ow_parts_drop(struct ow_parts *p)
{
	uint32_t i;

	for (i = 0; i < p->count; i++)
		ow_buf_free(p->list[i].data);
	free(p->list);
	*p = (struct ow_parts){ 0 };
}
