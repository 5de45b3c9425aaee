/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - Bgetfields, Bputfields: all fields of a buffer in one call
 *
 * An element of the array is an occurrence. Those of an embedded buffer stand
 * directly behind it and name it as their parent, to any depth, so the array is
 * the buffer read from front to back, and building one goes the same way.
 */
#include "libubf/access/value.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tpbind.h>

#include "libubf/base/cleanup.h"
#include "libubf/convert/check.h"
#include "libubf/store/search.h"
#include "libubf/tables/errtext.h"
#include "libubf/tables/fldtext.h"
#include "libubf/viewdef/def.h"
#include "libubf/viewdef/field.h"

#define CHILD_MIN 512u		/* first size of an embedded buffer */
#define ENTRY	  32u		/* of a value beside its bytes */
#define CHILD_MAX (1ul << 30)

/* ---- out of a buffer ---- */

struct getting {
	struct Bfield *fields;
	int max, n; /* places, fields found */
};

/* The value becomes f->data, f->len: 0, or -1 with Berror. */
static int show(struct Bfield *f, struct ow_ubf_val v)
{
	const struct ow_view *view;
	BVIEWFLD field;
	int r;

	f->data = (char *)v.data;
	f->len = (long)v.len;
	if (f->type == BFLD_STRING)
		f->len--;
	if (f->type != BFLD_VIEW)
		return 0;
	r = ow_ubf_view_open(v, &field, &view);
	if (r < 0)
		return ow_ubf_fail_errno(r, "Bgetfields");
	f->name = view != NULL ? view->name : "";
	f->data = field.data;
	f->len = (long)ow_ubf_view_len(v);
	return 0;
}

/* The fields of `h`, which is element `parent`: 0, or -1 with Berror. */
static int get_level(struct getting *g, UBFH *h, int parent)
{
	uint32_t i, n = ow_ubf_count(h);
	struct Bfield f = { .occ = -1 };
	struct ow_ubf_val v;
	BFLDID id;

	for (i = 0; i < n; i++) {
		id = ow_ubf_id_at(h, i);
		f = (struct Bfield){ .id = id,
				     .occ = id == f.id ? f.occ + 1 : 0,
				     .type = (int)ow_ubf_id_type(id),
				     .parent = parent };
		v = ow_ubf_val_at(h, (unsigned int)f.type, i);
		if (show(&f, v) < 0)
			return -1;
		if (g->n < g->max)
			g->fields[g->n] = f;
		g->n++;
		if (f.type == BFLD_UBF &&
		    get_level(g, (UBFH *)f.data, g->n - 1) < 0)
			return -1;
	}
	return 0;
}

int Bgetfields(UBFH *p_ub, struct Bfield *fields, int max)
{
	struct getting g = { fields, max, 0 };

	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (max < 0 || (fields == NULL && max > 0))
		return ow_ubf_fail(BEINVAL, "Bgetfields: no array of %d fields",
				   max);
	return get_level(&g, p_ub, -1) < 0 ? -1 : g.n;
}

/* ---- into a buffer ---- */

struct putting {
	const struct Bfield *fields;
	int n, at; /* elements, the next one */
	int bad;   /* the one that is being put */
	int depth; /* of buffers inside each other */
};

struct order {
	BFLDID id;
	BFLDOCC occ;
};

/* A buffer that is being made. An embedded one is ours: it grows, so that what
 * lies inside it is made once. The program's stays as large as it is. */
struct level {
	UBFH *h;
	size_t size; /* 0: it is the program's */
};

static int put_level(struct putting *p, struct level *l, int parent);

static void skip_below(struct putting *p, int i)
{
	while (p->at < p->n && p->fields[p->at].parent >= i)
		p->at++;
}

/* The occurrence that comes next when fields are added in order. */
static bool is_next(struct order *o, const struct Bfield *f)
{
	bool next = f->occ < 0 || (f->id == o->id && f->occ == o->occ + 1) ||
		    (f->id > o->id && f->occ == 0);

	o->occ = f->id == o->id && f->occ < 0 ? o->occ + 1 : f->occ;
	o->id = f->id;
	if (o->occ < 0)
		o->occ = 0;
	return next;
}

/* One value: 0, or -1 with Berror. */
static int put_value(UBFH *h, const struct Bfield *f, char *data, bool next)
{
	int type = (int)ow_ubf_id_type(f->id);
	BFLDLEN len = (BFLDLEN)f->len;

	if (f->len < 0 || f->len != len)
		return ow_ubf_fail(BEINVAL, "%ld bytes", f->len);
	if (f->type == type)
		return next ? Badd(h, f->id, data, len)
			    : Bchg(h, f->id, f->occ, data, len);
	if (ow_ubf_id_ok(f->id) &&
	    ow_ubf_check_fit(f->type, data, f->len, type) < 0)
		return -1;
	return next ? CBadd(h, f->id, data, len, f->type)
		    : CBchg(h, f->id, f->occ, data, len, f->type);
}

/* 0, or -1 with Berror. */
static int grow(struct level *l)
{
	UBFH *h = 2 * l->size < CHILD_MAX ? realloc(l->h, 2 * l->size) : NULL;

	if (h == NULL)
		return ow_ubf_fail(BMALLOC, "Bputfields: no memory");
	l->h = h;
	l->size *= 2;
	return ow_ubf_resize(h, l->size);
}

/* One value into a level, which has room for it or grows. */
static int put_grown(struct level *l, const struct Bfield *f, char *data,
		     bool next)
{
	int r;

	while ((r = put_value(l->h, f, data, next)) < 0 && l->size != 0 &&
	       Berror == BNOSPACE)
		if (grow(l) < 0)
			return -1;
	return r;
}

/* Bytes for an embedded buffer with the elements below `i`. */
static size_t size_below(const struct putting *p, int i)
{
	size_t size = CHILD_MIN;
	int k;

	for (k = i + 1; k < p->n && p->fields[k].parent >= i; k++)
		size += ENTRY + (size_t)(p->fields[k].len > 0
					     ? p->fields[k].len
					     : 0);
	return size;
}

/* An embedded buffer of the elements below `i`, in *ret: 0, or -1 with Berror,
 * and *ret NULL. */
static int make_child(struct putting *p, int i, void **ret)
{
	struct level l = { .size = size_below(p, i) };
	int r;

	*ret = NULL;
	if (p->depth == OW_UBF_DEPTH_MAX) /* nobody would take it */
		return ow_ubf_fail(BEINVAL, "more than %d buffers inside "
				   "each other", OW_UBF_DEPTH_MAX);
	l.h = l.size < CHILD_MAX ? malloc(l.size) : NULL;
	if (l.h == NULL)
		return ow_ubf_fail(BMALLOC, "Bputfields: no memory");
	p->at = i + 1;
	p->depth++;
	r = Binit(l.h, (BFLDLEN)l.size);
	if (r == 0)
		r = put_level(p, &l, i);
	p->depth--;
	if (r == 0)
		*ret = l.h;
	else
		free(l.h);
	return r;
}

/* Element `i`: 0, or -1 with Berror. */
static int put_one(struct putting *p, struct level *l, int i, bool next)
{
	OW_CLEANUP(ow_cleanup_freep) void *child = NULL;
	const struct Bfield *f = &p->fields[i];
	BVIEWFLD view = { .data = f->data };
	char *data = f->data;

	if (f->type == BFLD_VIEW) {
		snprintf(view.vname, sizeof(view.vname), "%s",
			 f->name != NULL ? f->name : "");
		data = (char *)&view;
	} else if (f->type == BFLD_UBF && data == NULL) {
		if (make_child(p, i, &child) < 0)
			return -1;
		data = child;
		p->bad = i;
	} else if (data == NULL) {
		return ow_ubf_fail(BEINVAL, "no data");
	}
	if (put_grown(l, f, data, next) < 0)
		return -1;
	skip_below(p, i);
	return 0;
}

static int put_level(struct putting *p, struct level *l, int parent)
{
	struct order o = { BBADFLDID, -1 };
	int i;

	while (p->at < p->n && p->fields[p->at].parent >= parent) {
		i = p->at++;
		p->bad = i;
		if (p->fields[i].parent != parent)
			return ow_ubf_fail(BEINVAL, "its parent is %d, and no "
					   "embedded buffer before it",
					   p->fields[i].parent);
		if (put_one(p, l, i, is_next(&o, &p->fields[i])) < 0)
			return -1;
	}
	return 0;
}

/* Berror stays; its text names the element. */
static int fail_element(const struct putting *p)
{
	const struct Bfield *f = &p->fields[p->bad];

	return ow_ubf_fail_in("element %d, field %s occurrence %d: ", p->bad,
			      ow_fldtext(f->id).s, f->occ);
}

int Bputfields(UBFH *p_ub, const struct Bfield *fields, int n, int *bad)
{
	struct putting p = { .fields = fields, .n = n };
	struct level l = { .h = p_ub };
	int r;

	if (bad != NULL)
		*bad = -1;
	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (n < 0 || (fields == NULL && n > 0))
		return ow_ubf_fail(BEINVAL, "Bputfields: no array of %d fields",
				   n);
	r = Bproj(p_ub, NULL);
	if (r == 0)
		r = put_level(&p, &l, -1);
	if (r == 0 && p.at < n) {
		p.bad = p.at;
		r = ow_ubf_fail(BEINVAL, "its parent is %d",
				fields[p.at].parent);
	}
	if (r == 0)
		return 0;
	if (bad != NULL)
		*bad = p.bad;
	r = fail_element(&p);
	return r;
}
