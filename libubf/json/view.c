/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c - a structure as JSON, in both directions
 *
 * A structure is read into memory of the reader, in which all members are null
 * at first. Unknown members are ignored. A member of which one element is
 * written is a scalar, also where it has room for more.
 */
#include "libubf/json/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libubf/base/apiflag.h"
#include "libubf/json/value.h"
#include "libubf/viewdef/def.h"
#include "libubf/viewdef/mem.h"

/* ---- writing ---- */

static int put_element(struct ow_json_out *o, const struct ow_view_col *c,
		       const char *cs, uint32_t occ)
{
	unsigned int type;
	struct ow_ubf_val v = ow_view_value(c, cs, occ, &type);

	if (c->type == BFLD_STRING)
		return ow_json_string(o, v.data,
				      v.len - (type == BFLD_STRING));
	return ow_json_plain(o, type, v);
}

static int put_elements(struct ow_json_out *o, const struct ow_view_col *c,
			const char *cs, uint32_t n, bool notnull)
{
	int r = n > 1 ? ow_json_raw(o, "[", 1) : 0;
	uint32_t i;

	for (i = 0; i < n && r == 0; i++) {
		if (i > 0)
			r = ow_json_raw(o, ",", 1);
		if (r == 0 && notnull && ow_view_is_null(c, cs, i))
			r = ow_json_text(o, "null");
		else if (r == 0)
			r = put_element(o, c, cs, i);
	}
	return r == 0 && n > 1 ? ow_json_raw(o, "]", 1) : r;
}

/* How many elements are written. */
static uint32_t elements_to_write(const struct ow_view_col *c, const char *cs,
		      bool notnull)
{
	uint32_t real;

	if (!notnull)
		return c->flags & OW_VIEW_C ? ow_view_used(c, cs) : c->count;
	real = ow_view_real(c, cs);
	return real < ow_view_used(c, cs) ? real : ow_view_used(c, cs);
}

static int put_name(struct ow_json_out *o, const char *name, bool first)
{
	int r = first ? 0 : ow_json_raw(o, ",", 1);

	if (r == 0)
		r = ow_json_string(o, name, strlen(name));
	return r == 0 ? ow_json_raw(o, ":", 1) : r;
}

static int put_members(struct ow_json_out *o, const struct ow_view *v,
		       const char *cs, bool notnull, char *error)
{
	bool first = true;
	uint32_t i, n;
	int r = 0;

	for (i = 0; i < v->ncols && r == 0; i++) {
		const struct ow_view_col *c = v->cols + i;

		n = elements_to_write(c, cs, notnull);
		if (n == 0)
			continue;
		r = put_name(o, c->cname, first);
		first = false;
		if (r == 0)
			r = put_elements(o, c, cs, n, notnull);
		if (r == -EILSEQ)
			snprintf(error, OW_JSON_ERROR_MAX,
				 "member %s: not UTF-8, or no number",
				 c->cname);
	}
	return r;
}

int ow_json_from_view(struct ow_json_out *o, const struct ow_view *v,
		      const char *cs, long flags, char *error)
{
	int r = ow_json_raw(o, "{", 1);

	error[0] = '\0';
	if (r == 0)
		r = put_name(o, v->name, true);
	if (r == 0)
		r = ow_json_raw(o, "{", 1);
	if (r == 0)
		r = put_members(o, v, cs, (flags & BVACCESS_NOTNULL) != 0,
				error);
	return r == 0 ? ow_json_raw(o, "}}", 2) : r;
}

/* ---- reading ---- */

enum place { BEFORE, OUTSIDE, NAMED, MEMBERS, BEHIND };

struct ow_json_view {
	enum place place;
	const struct ow_view *view;
	char *cs;
	const struct ow_view_col *col;	/* NULL: ignore its value */
	uint32_t occ;
	bool array;
	int skip;
	struct ow_json_value value;
	char *error;
};

static int wrong(struct ow_json_view *r, const char *what)
{
	snprintf(r->error, OW_JSON_ERROR_MAX, "%s%s%s%s",
		 r->view != NULL ? "view " : "",
		 r->view != NULL ? r->view->name : "",
		 r->view != NULL ? ": " : "", what);
	return -EBADMSG;
}

static int take_view(struct ow_json_view *r, const struct ow_json_event *ev)
{
	char name[NDRX_VIEW_NAME_LEN + 1];
	int res = ow_json_name(ev, name, sizeof(name));

	if (res == 0 && name[0] == '\0') { /* an empty view has no members */
		r->place = NAMED;
		return 0;
	}
	if (res == 0)
		res = ow_view_find(name, &r->view);
	if (res == -ENOMEM)
		return res;
	if (res < 0) {
		snprintf(r->error, OW_JSON_ERROR_MAX, "no view \"%.*s\": %s",
			 (int)(ev->len < 40 ? ev->len : 40), ev->text,
			 res == -ENOENT && ev->len >= sizeof(name)
				 ? "no such name"
				 : ow_view_error());
		return -ENXIO;
	}
	r->cs = calloc(1, r->view->size + 8);
	if (r->cs == NULL)
		return -ENOMEM;
	ow_view_init(r->view, r->cs);
	r->place = NAMED;
	return 0;
}

static int take_member(struct ow_json_view *r, const struct ow_json_event *ev)
{
	char name[256 + 1];

	r->col = NULL;
	r->occ = 0;
	r->array = false;
	if (r->view != NULL && ow_json_name(ev, name, sizeof(name)) == 0)
		r->col = ow_view_column(r->view, name);
	return 0;
}

static int take_scalar(struct ow_json_view *r, const struct ow_json_event *ev)
{
	const struct ow_view_col *c = r->col;
	struct ow_ubf_conv conv;
	int res;

	if (c == NULL)
		return 0;
	if (r->occ >= c->count)
		return wrong(r, "more elements than the member has");
	if (ev->kind == OW_JSON_NULL) {
		r->occ++;
		return 0;
	}
	res = ow_json_value(&r->value, ev, c->type, &conv);
	if (res == -EBADMSG)
		return wrong(r, r->value.why);
	/* The NUL of the string is missing (val.h): store it as bytes. */
	if (res == 0 && c->type == BFLD_STRING)
		conv.val.len--;
	if (res == 0)
		res = ow_view_store(c, r->cs, r->occ,
				    c->type == BFLD_STRING ? BFLD_CARRAY
							   : c->type,
				    conv.val);
	if (res == -ENOSPC)
		return wrong(r, "a value is longer than its member");
	if (res < 0)
		return res == -ENOMEM ? res : wrong(r, "a value of that type");
	if (++r->occ > ow_view_used(c, r->cs))
		ow_view_set_used(c, r->cs, r->occ);
	return 0;
}

static int in_members(struct ow_json_view *r, const struct ow_json_event *ev)
{
	switch (ev->kind) {
	case OW_JSON_KEY:
		return take_member(r, ev);
	case OW_JSON_OBJECT_END:
		r->place = BEHIND;
		return 0;
	case OW_JSON_ARRAY_END:
		r->array = false;
		return 0;
	case OW_JSON_OBJECT:
	case OW_JSON_ARRAY:
		if (r->col == NULL) {
			r->skip = 1;
			return 0;
		}
		if (ev->kind == OW_JSON_OBJECT || r->array)
			return wrong(r, "a member is no object");
		r->array = true;
		return 0;
	default:
		return take_scalar(r, ev);
	}
}

int ow_json_view_event(struct ow_json_view *r, const struct ow_json_event *ev)
{
	if (r->skip > 0) {
		r->skip += (ev->kind == OW_JSON_OBJECT ||
			    ev->kind == OW_JSON_ARRAY) -
			   (ev->kind == OW_JSON_OBJECT_END ||
			    ev->kind == OW_JSON_ARRAY_END);
		return 0;
	}
	switch (r->place) {
	case BEFORE:
	case NAMED:
		if (ev->kind != OW_JSON_OBJECT)
			return wrong(r, "give {\"VIEW\":{\"member\":value}}");
		r->place = r->place == BEFORE ? OUTSIDE : MEMBERS;
		return 0;
	case OUTSIDE:
		return ev->kind == OW_JSON_OBJECT_END ? 1 : take_view(r, ev);
	case MEMBERS:
		return in_members(r, ev);
	default:
		return ev->kind == OW_JSON_OBJECT_END
			       ? 1
			       : wrong(r, "more than one view");
	}
}

int ow_json_view_open(char *error, struct ow_json_view **ret_reader)
{
	struct ow_json_view *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return -ENOMEM;
	r->error = error;
	r->value.escape = ow_apiflag("json_escape");
	*ret_reader = r;
	return 0;
}

void ow_json_view_closep(struct ow_json_view **rp)
{
	if (*rp == NULL)
		return;
	free((*rp)->value.text);
	free((*rp)->cs);
	free(*rp);
	*rp = NULL;
}

const char *ow_json_view_result(const struct ow_json_view *r,
				const struct ow_view **ret_view)
{
	*ret_view = r->view;
	return r->cs;
}
