/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffers.c - what Go sends becomes a typed buffer; what a buffer has goes to Go
 */
#include "inside.h"

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

/* Element `f` could not be put: its name, and what the library says behind that. */
static int fail_field(const struct Bfield *f, int err, struct gow_out *out)
{
	const char *why, *name = f->name;
	char text[600];

	snprintf(text, sizeof(text), "%s", Bstrerror(Berror));
	why = strstr(text, " occurrence ");
	why = why == NULL ? NULL : strstr(why, ": ");
	if (why != NULL)
		text[strlen(text) - 1] = '\0'; /* a bracket around it all */
	if (name == NULL)
		name = Bfname(f->id); /* another Berror */
	out->err = err;
	snprintf(out->text, sizeof(out->text), "%.60s: %.250s",
		 name != NULL ? name : "a field", why != NULL ? why + 2 : text);
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
	if (Bvputfields(*data, view, put, in.n, &bad) == 0)
		return 0;
	if (bad >= 0)
		return fail_field(&put[bad], TPEINVAL, out);
	out->err = TPEINVAL;
	snprintf(out->text, sizeof(out->text), "view %s: %s", view,
		 Bstrerror(Berror));
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
		if (tpputfields(data, *put, in.n, &bad) != 0)
			return bad >= 0 ? fail_field(&(*put)[bad], tperrno, out)
					: gow_fail(out);
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
