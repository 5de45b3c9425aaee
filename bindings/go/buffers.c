/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffers.c - what Go sends becomes a typed buffer; what a buffer has goes to Go
 */
#include "inside.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FEW 8 /* fields, for which there is room at first */

static const char *const types[GOW_KINDS] = {
	[GOW_STRING] = "STRING",
	[GOW_CARRAY] = "CARRAY",
	[GOW_JSON] = "JSON",
	[GOW_UBF] = "UBF",
	[GOW_VIEW] = "VIEW",
};

static int need_fields(struct Bfield **p, int *room, int n)
{
	struct Bfield *q;

	if (n <= *room)
		return 0;
	q = realloc(*p, (size_t)n * 2 * sizeof(*q));
	if (q == NULL)
		return -1;
	*p = q;
	*room = n * 2;
	return 0;
}

/* Records become fields that point to their values. */
static void point_to(struct Bfield *f, struct gow_in in)
{
	char *p = (char *)in.data;
	int i;

	for (i = 0; i < in.n; i++) {
		const struct gow_record *r = (const struct gow_record *)p;

		p += sizeof(*r);
		f[i] = (struct Bfield){ .id = r->id,
					.occ = -1,
					.type = r->type,
					.parent = r->parent,
					.data = r->type == BFLD_UBF ? NULL : p,
					.len = r->len };
		if (r->type == BFLD_VIEW) {
			f[i].name = p;
			f[i].data = p + GOW_VIEW_NAME;
			f[i].len -= GOW_VIEW_NAME;
		}
		p += (r->len + 8) & ~7; /* strings have a NUL */
	}
}

/* The same for the members of a view. */
static void point_to_members(struct Bfield *f, struct gow_in in)
{
	const char *const *names = (const char *const *)in.names;
	int i;

	point_to(f, in);
	for (i = 0; i < in.n; i++) {
		f[i].name = names[f[i].id];
		f[i].occ = f[i].parent;
		f[i].id = 0;
		f[i].parent = -1;
	}
}

static int whole_fits(int type, long l)
{
	switch (type) {
	case BFLD_SHORT:
		return l == (short)l;
	case BFLD_INT:
		return l == (int)l;
	case BFLD_CHAR:
		return l >= 0 && l <= UCHAR_MAX;
	default:
		return 1;
	}
}

static int real_fits(int type, double d)
{
	switch (type) {
	case BFLD_SHORT:
	case BFLD_INT:
	case BFLD_LONG:
	case BFLD_CHAR:
		return d >= -0x1p63 && d < 0x1p63 &&
		       whole_fits(type, (long)d);
	case BFLD_FLOAT:
		return !isfinite(d) ||
		       (d >= -(double)FLT_MAX && d <= (double)FLT_MAX);
	default:
		return 1;
	}
}

/* Does a field of this type hold the value? CBadd() cuts off, and wraps around. */
static int fits(int type, const struct Bfield *f)
{
	double d;
	long l;

	switch (f->type) {
	case BFLD_LONG:
		memcpy(&l, f->data, sizeof(l));
		return whole_fits(type, l);
	case BFLD_DOUBLE:
		memcpy(&d, f->data, sizeof(d));
		return real_fits(type, d);
	case BFLD_STRING:
	case BFLD_CARRAY:
		return type != BFLD_CHAR || f->len <= 1;
	default:
		return 1;
	}
}

static int fail_misfit(const struct Bfield *f, struct gow_out *out)
{
	char *name = f->name != NULL ? (char *)f->name : Bfname(f->id);
	char value[64];
	double d;
	long l;

	if (f->type == BFLD_LONG) {
		memcpy(&l, f->data, sizeof(l));
		snprintf(value, sizeof(value), "%ld", l);
	} else if (f->type == BFLD_DOUBLE) {
		memcpy(&d, f->data, sizeof(d));
		snprintf(value, sizeof(value), "%g", d);
	} else {
		snprintf(value, sizeof(value), "a text of %ld bytes", f->len);
	}
	out->err = TPEINVAL;
	snprintf(out->text, sizeof(out->text), "%s: %s does not fit",
		 name != NULL ? name : "a field", value);
	return -1;
}

/* Of fields of UBF: 0, or -1 with *out. */
static int check_fields(const struct Bfield *f, int n, struct gow_out *out)
{
	int i;

	for (i = 0; i < n; i++)
		if (!fits(Bfldtype(f[i].id), &f[i]))
			return fail_misfit(&f[i], out);
	return 0;
}

/* The same of members of a view; Bvputfields() says which it does not have. */
static int check_members(char *data, char *view, const struct Bfield *f, int n,
			 struct gow_out *out)
{
	int i, type;

	for (i = 0; i < n; i++)
		if (Bvoccur(data, view, (char *)f[i].name, NULL, NULL, NULL,
			    &type) != -1 &&
		    !fits(type, &f[i]))
			return fail_misfit(&f[i], out);
	return 0;
}

/* A number of fields that could not be put, and why. */
static int fail_fields(struct gow_out *out, int bad)
{
	char *why = Bstrerror(Berror);

	gow_fail(out);
	snprintf(out->text, sizeof(out->text), "field number %d: %s", bad, why);
	return -1;
}

/* *data becomes a buffer of the view, if it is none. */
static int need_view(char **data, char *view)
{
	char sub[XATMI_SUBTYPE_LEN + 1] = "";

	if (*data != NULL && tptypes(*data, NULL, sub) >= 0 &&
	    strcmp(sub, view) == 0)
		return 0;
	tpfree(*data);
	*data = tpalloc((char *)"VIEW", view, 0);
	return *data == NULL ? -1 : 0;
}

static int fill_view(char **data, struct Bfield *put, struct gow_in in,
		     struct gow_out *out)
{
	char *view = (char *)in.view;
	int bad = -1;

	point_to_members(put, in);
	if (need_view(data, view) != 0)
		return gow_fail(out);
	if (check_members(*data, view, put, in.n, out) != 0)
		return -1;
	if (Bvputfields(*data, view, put, in.n, &bad) == 0)
		return 0;
	out->err = TPEINVAL;
	snprintf(out->text, sizeof(out->text), "view %s: %s: %s", view,
		 bad >= 0 ? put[bad].name : "", Bstrerror(Berror));
	return -1;
}

static int has_bytes(int kind)
{
	return kind == GOW_STRING || kind == GOW_CARRAY || kind == GOW_JSON;
}

static void fill_bytes(char *data, struct gow_in in)
{
	if (in.len > 0)
		memcpy(data, (void *)in.data, (size_t)in.len);
	data[in.len] = '\0';
}

int gow_fill(char **data, struct Bfield **put, int *room,
	     struct gow_in in, struct gow_out *out)
{
	int bad = -1;

	if (in.kind == GOW_NULL)
		return 0;
	if (in.kind > GOW_OTHER)
		return gow_fill_json(data, in, out);
	if (in.kind == GOW_UBF || in.kind == GOW_VIEW) {
		if (need_fields(put, room, in.n + 1) != 0) {
			out->err = TPEOS;
			return -1;
		}
		if (in.kind == GOW_VIEW)
			return fill_view(data, *put, in, out);
		point_to(*put, in);
		if (check_fields(*put, in.n, out) != 0)
			return -1;
		if (tpputfields(data, *put, in.n, &bad) != 0)
			return fail_fields(out, bad);
		return 0;
	}
	if (*data == NULL)
		*data = tpalloc((char *)types[in.kind], NULL, in.len + 1);
	else if (tptypes(*data, NULL, NULL) < in.len + 1)
		*data = tprealloc(*data, in.len + 1);
	if (*data == NULL)
		return gow_fail(out);
	fill_bytes(*data, in);
	return 0;
}

int gow_make(char **data, struct gow_in in, char text[GOW_TEXT])
{
	static __thread struct Bfield *put;
	static __thread int room;
	struct gow_out out;
	int r;

	gow_clear(&out);
	r = gow_fill(data, &put, &room, in, &out);
	memcpy(text, out.text, GOW_TEXT);
	return r;
}

int gow_prepare(struct gow *g, struct gow_in in, char **ret,
		   struct gow_out *out)
{
	gow_clear(out);
	gow_trace(g, &in.trace);
	*ret = NULL;
	if (in.len < g->in_size[in.kind]) {
		fill_bytes(g->in[in.kind], in);
	} else if (gow_fill(&g->in[in.kind], &g->put, &g->alloc_put, in,
			    out) != 0) {
		out->unbegun = 1;
		return -1;
	} else if (has_bytes(in.kind)) {
		g->in_size[in.kind] = tptypes(g->in[in.kind], NULL, NULL);
	}
	*ret = g->in[in.kind];
	return 0;
}

/* The first eight bytes of a type, which tptypes() pads with NULs. */
static uint64_t word(const char *type)
{
	uint64_t w;

	memcpy(&w, type, sizeof(w));
	return w;
}

static int kind_of_type(const char *type)
{
	uint64_t w = word(type);

	return w == word("UBF\0\0\0\0")	? GOW_UBF
	       : w == word("STRING\0")	? GOW_STRING
	       : w == word("CARRAY\0")	? GOW_CARRAY
	       : w == word("XML\0\0\0\0") ? GOW_CARRAY
	       : w == word("MBSTRING")	? GOW_CARRAY
	       : w == word("JSON\0\0\0")	? GOW_JSON
	       : strncmp(type, "FML", 3) == 0 ? GOW_UBF
	       : strncmp(type, "VIEW", 4) == 0 ||
			 strncmp(type, "X_C", 3) == 0 ? GOW_VIEW
					       : GOW_OTHER;
}

/* With the name of its view; NULL: that is not wanted. */
static int kind_of(char *buf, char *view)
{
	char type[XATMI_TYPE_LEN + 1] = "";
	int kind;

	if (buf == NULL || tptypes(buf, type, NULL) == -1)
		return GOW_NULL;
	kind = kind_of_type(type);
	if (kind == GOW_VIEW && view != NULL)
		tptypes(buf, NULL, view);
	return kind;
}

int gow_is_ubf(char *buf)
{
	return kind_of(buf, NULL) == GOW_UBF;
}

int gow_is_carray(char *buf)
{
	return kind_of(buf, NULL) == GOW_CARRAY;
}

static int get_fields(char *buf, struct gow_out *out, struct Bfield *f, int room)
{
	return out->kind == GOW_UBF ? Bgetfields((UBFH *)buf, f, room)
				    : Bvgetfields(buf, out->view, f, room);
}

static void look_at_fields(char *buf, struct gow_out *out,
			   struct Bfield **get, int *room)
{
	int n;

	if (*room == 0)
		need_fields(get, room, FEW);
	n = get_fields(buf, out, *get, *room);
	if (n > *room && need_fields(get, room, n) == 0)
		n = get_fields(buf, out, *get, *room);
	out->fields = *get;
	out->unread = n < 0 || n > *room;
	out->n = out->unread ? 0 : n;
	if (out->unread && out->err == 0)
		snprintf(out->text, sizeof(out->text), "%s%s%s",
			 out->kind == GOW_VIEW ? out->view : "",
			 out->kind == GOW_VIEW ? ": " : "",
			 n < 0 ? Bstrerror(Berror) : "no memory");
}

/* See what a buffer has; its fields go to *get. */
void gow_look_into(char *buf, long len, struct gow_out *out,
		   struct Bfield **get, int *room)
{
	out->buf = buf;
	out->len = len;
	out->kind = kind_of(buf, out->view);
	if (out->kind == GOW_STRING || out->kind == GOW_JSON)
		out->len = (long)strlen(buf);
	if (out->kind == GOW_UBF || out->kind == GOW_VIEW)
		look_at_fields(buf, out, get, room);
}

void gow_look_view(char *data, const char *view, struct gow_out *out)
{
	struct Bfield *fields = NULL;
	int room = 0;

	gow_clear(out);
	out->kind = GOW_VIEW;
	snprintf(out->view, sizeof(out->view), "%s", view);
	look_at_fields(data, out, &fields, &room);
	out->fields = fields;
}

/* The same, into memory of its own. */
void gow_look_apart(char *buf, long len, struct gow_out *out)
{
	struct Bfield *fields = NULL;
	int room = 0;

	gow_look_into(buf, len, out, &fields, &room);
	out->fields = fields;
	out->room = room;
}

void gow_look_later(char *buf, long len, struct gow_out *out)
{
	if (kind_of(buf, NULL) != GOW_UBF) {
		gow_look_apart(buf, len, out);
		return;
	}
	out->buf = buf;
	out->len = len;
	out->kind = GOW_UBF;
	out->n = -1;
}

struct gow_fields gow_fields_of(char *buf)
{
	struct gow_out out = { .kind = GOW_UBF };
	struct Bfield *fields = NULL;
	int room = 0;

	look_at_fields(buf, &out, &fields, &room);
	return (struct gow_fields){ .fields = fields, .n = out.n };
}

void gow_look(char *data, long len, struct gow_out *out)
{
	gow_clear(out);
	gow_look_apart(data, len, out);
}
