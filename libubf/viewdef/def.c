/* SPDX-License-Identifier: Apache-2.0 */
/*
 * def.c - the definition of a view: its members and their places
 */
#include "libubf/viewdef/def.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(obj) ((obj)->lost = 1)
#include <uthash.h>

/* A member of the structure: a column, its count or its lengths. */
struct ow_view_member {
	UT_hash_handle hh;
	uint32_t col;
	char kind;	/* 'C', 'L', or 0: the column itself */
	int lost;	/* uthash had no memory for it */
	char name[];
};

int ow_view_new(const char *name, struct ow_view **ret_view)
{
	struct ow_view *v = calloc(1, sizeof(*v));

	if (v == NULL)
		return -ENOMEM;
	snprintf(v->name, sizeof(v->name), "%s", name);
	v->align = 1;
	*ret_view = v;
	return 0;
}

void ow_view_col_free(struct ow_view_col *col)
{
	free(col->cname);
	free(col->fbname);
	free(col->null_text);
	free(col->null);
}

void ow_view_freep(struct ow_view **vp)
{
	struct ow_view_member *m, *tmp;
	uint32_t i;

	if (*vp == NULL)
		return;
	HASH_ITER(hh, (*vp)->members, m, tmp) {
		HASH_DEL((*vp)->members, m);
		free(m);
	}
	for (i = 0; i < (*vp)->ncols; i++)
		ow_view_col_free((*vp)->cols + i);
	free((*vp)->cols);
	free(*vp);
	*vp = NULL;
}

/* 0, -EEXIST or -ENOMEM. */
static int add_member(struct ow_view *v, char kind, const char *cname)
{
	size_t n = strlen(cname) + (kind != 0 ? 2 : 0);
	struct ow_view_member *m = calloc(1, sizeof(*m) + n + 1), *old;

	if (m == NULL)
		return -ENOMEM;
	if (kind != 0)
		sprintf(m->name, "%c_%s", kind, cname);
	else
		memcpy(m->name, cname, n);
	m->kind = kind;
	m->col = v->ncols;
	HASH_FIND(hh, v->members, m->name, n, old);
	if (old != NULL) {
		free(m);
		return -EEXIST;
	}
	HASH_ADD_KEYPTR(hh, v->members, m->name, n, m);
	if (m->lost) {
		free(m);
		return -ENOMEM;
	}
	return 0;
}

/* Take the place of n members of this size; returns its offset, or
 * OW_VIEW_NOWHERE if the structure would be too large. */
static uint32_t place(struct ow_view *v, uint32_t size, uint32_t align,
		      uint32_t n)
{
	uint64_t at = (v->end + align - 1) / align * align;

	if (at + (uint64_t)size * n > OW_VIEW_SIZE_MAX)
		return OW_VIEW_NOWHERE;
	v->end = at + (uint64_t)size * n;
	if (align > v->align)
		v->align = align;
	return (uint32_t)at;
}

static uint32_t alignment(unsigned int type)
{
	switch (type) {
	case BFLD_SHORT:
		return _Alignof(short);
	case BFLD_INT:
		return _Alignof(int);
	case BFLD_LONG:
		return _Alignof(long);
	case BFLD_FLOAT:
		return _Alignof(float);
	case BFLD_DOUBLE:
		return _Alignof(double);
	default:
		return 1;
	}
}

/* 0 or -EFBIG. */
static int place_column(struct ow_view *v, struct ow_view_col *c)
{
	c->count_at = c->len_at = OW_VIEW_NOWHERE;
	if (c->flags & OW_VIEW_C) {
		c->count_at = place(v, sizeof(short), _Alignof(short), 1);
		if (c->count_at == OW_VIEW_NOWHERE)
			return -EFBIG;
	}
	if (c->flags & OW_VIEW_L) {
		c->len_at = place(v, sizeof(short), _Alignof(short), c->count);
		if (c->len_at == OW_VIEW_NOWHERE)
			return -EFBIG;
	}
	c->offset = place(v, c->size, alignment(c->type), c->count);
	return c->offset == OW_VIEW_NOWHERE ? -EFBIG : 0;
}

static int grow(struct ow_view *v)
{
	uint32_t cap = v->cap == 0 ? 16 : 2 * v->cap;
	struct ow_view_col *cols;

	if (v->ncols < v->cap)
		return 0;
	cols = realloc(v->cols, cap * sizeof(*cols));
	if (cols == NULL)
		return -ENOMEM;
	v->cols = cols;
	v->cap = cap;
	return 0;
}

/* After a failure the view may only be freed. */
int ow_view_add(struct ow_view *v, const struct ow_view_col *col)
{
	struct ow_view_col c = *col;
	int r = grow(v);

	if (r == 0)
		r = add_member(v, 0, c.cname);
	if (r == 0 && c.flags & OW_VIEW_C)
		r = add_member(v, 'C', c.cname);
	if (r == 0 && c.flags & OW_VIEW_L)
		r = add_member(v, 'L', c.cname);
	if (r == 0)
		r = place_column(v, &c);
	if (r < 0)
		return r;
	v->cols[v->ncols++] = c;
	return 0;
}

/* FNV-1a. */
static uint32_t mix(uint32_t h, const void *data, size_t n)
{
	const uint8_t *p = data;

	while (n-- > 0)
		h = (h ^ *p++) * 16777619u;
	return h;
}

void ow_view_finish(struct ow_view *v)
{
	uint32_t h = mix(2166136261u, v->name, strlen(v->name) + 1), i;

	v->size = (uint32_t)((v->end + v->align - 1) / v->align * v->align);
	for (i = 0; i < v->ncols; i++) {
		const struct ow_view_col *c = v->cols + i;
		uint32_t words[] = { c->type, c->count, c->size, c->offset,
				     c->flags & (OW_VIEW_C | OW_VIEW_L) };

		h = mix(h, c->cname, strlen(c->cname) + 1);
		h = mix(h, words, sizeof(words));
	}
	v->cksum = mix(h, &v->size, sizeof(v->size));
}

struct ow_view_col *ow_view_column(const struct ow_view *v, const char *cname)
{
	struct ow_view_member *m;

	HASH_FIND(hh, v->members, cname, strlen(cname), m);
	return m == NULL || m->kind != 0 ? NULL : v->cols + m->col;
}
