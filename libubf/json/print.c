/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c - a UBF buffer as JSON
 *
 * One pass over the directory of the buffer, in its order. The name of a field
 * is looked up once for all its occurrences.
 */
#include "libubf/json/ubf.h"

#include <errno.h>
#include <stdio.h>

#include "libubf/base/apiflag.h"
#include "libubf/store/header.h"
#include "libubf/tables/fldtbl.h"
#include "libubf/json/value.h"
#include "libubf/json/view.h"
#include "libubf/viewdef/field.h"

struct printer {
	struct ow_json_out *out;
	const struct ow_fldtbl *names;	/* NULL: not readable */
	char *error;
};

static int print_level(struct printer *p, const struct Ubfh *h, int depth);

static void id_text(const struct printer *p, BFLDID id, char *to, size_t size)
{
	const struct ow_fldtbl *names = p->names;
	const char *name = names == NULL ? NULL
					 : ow_fldtbl_name_now(&names, id);

	if (name != NULL)
		snprintf(to, size, "%s", name);
	else
		snprintf(to, size, "((BFLDID32)%d)", id);
}

/* "NAME": needs no escapes, names are letters, digits and _ (fldtbl_read.c). */
static int put_name(struct printer *p, BFLDID id, bool first)
{
	char own[32], text[UBFFLDMAX + 4], *t = text;
	const char *name = p->names == NULL
				   ? NULL
				   : ow_fldtbl_name_now(&p->names, id);
	size_t n;

	if (name == NULL) {
		id_text(p, id, own, sizeof(own));
		name = own;
	}
	n = strlen(name);
	if (!first)
		*t++ = ',';
	*t++ = '"';
	memcpy(t, name, n);
	t += n;
	*t++ = '"';
	*t++ = ':';
	return ow_json_raw(p->out, text, (size_t)(t - text));
}

/* An unknown view cannot be written: its members are not known. */
static int put_view(struct printer *p, struct ow_ubf_val v)
{
	const struct ow_view *view;
	BVIEWFLD f;

	if (ow_ubf_view_open(v, &f, &view) < 0)
		return -EOPNOTSUPP;
	if (view == NULL)
		return f.vname[0] == '\0' ? ow_json_text(p->out, "{}")
					  : -EOPNOTSUPP;
	return ow_json_from_view(p->out, view, f.data, 0, p->error);
}

static int put_pointer(struct printer *p, struct ow_ubf_val v)
{
	const struct ow_json_pointers *ps = p->out->pointers;
	const void *to;
	int r = 0;

	memcpy(&to, v.data, sizeof(to));
	if (ps != NULL)
		r = ps->put(ps->ctx, p->out, to, p->error);
	if (r != 0)
		return r < 0 ? r : 0;
	return ow_apiflag("ubf_ptrparse") ? ow_json_plain(p->out, BFLD_PTR, v)
					  : ow_json_text(p->out, "null");
}

static int put_value(struct printer *p, const struct Ubfh *h,
		     uint32_t i, int depth)
{
	unsigned int type = ow_ubf_id_type(ow_ubf_id_at(h, i));
	struct ow_ubf_val v = ow_ubf_val_at(h, type, i);

	if (type == BFLD_UBF)
		return print_level(p, v.data, depth + 1);
	if (type == BFLD_VIEW)
		return put_view(p, v);
	if (type == BFLD_PTR)
		return put_pointer(p, v);
	return ow_json_plain(p->out, type, v);
}

/* Name the field in `error`, unless an inner level has done so. */
static int failed(struct printer *p, BFLDID id, int r)
{
	char name[UBFFLDMAX + 1];

	if (p->error[0] != '\0' || (r != -EILSEQ && r != -EOPNOTSUPP))
		return r;
	id_text(p, id, name, sizeof(name));
	snprintf(p->error, OW_JSON_ERROR_MAX, "field %s: %s", name,
		 r == -EOPNOTSUPP ? "JSON has no text for its type"
		 : ow_ubf_id_type(id) == BFLD_FLOAT ||
				 ow_ubf_id_type(id) == BFLD_DOUBLE
			 ? "JSON has no text for infinity and NaN"
			 : "not UTF-8 (json_escape in NDRX_APIFLAGS allows "
			   "any bytes)");
	return r;
}

static int print_level(struct printer *p, const struct Ubfh *h, int depth)
{
	uint32_t i, count = ow_ubf_count(h);
	BFLDID id = count > 0 ? ow_ubf_id_at(h, 0) : BBADFLDID, after;
	bool same = false, next;
	int r = ow_json_raw(p->out, "{", 1);

	if (depth > OW_UBF_DEPTH_MAX)
		return -EOPNOTSUPP;
	for (i = 0; i < count && r == 0; i++, same = next, id = after) {
		after = i + 1 < count ? ow_ubf_id_at(h, i + 1) : BBADFLDID;
		next = after == id;
		if (!same)
			r = put_name(p, id, i == 0);
		if (r == 0 && same)
			r = ow_json_raw(p->out, ",", 1);
		else if (r == 0 && next)
			r = ow_json_raw(p->out, "[", 1);
		if (r == 0)
			r = put_value(p, h, i, depth);
		if (r == 0 && same && !next)
			r = ow_json_raw(p->out, "]", 1);
		if (r < 0)
			return failed(p, id, r);
	}
	return r == 0 ? ow_json_raw(p->out, "}", 1) : r;
}

/* Without field tables, ids are written instead of names. */
int ow_json_from_ubf(struct ow_json_out *o, const UBFH *p_ub, char *error)
{
	struct printer p = { .out = o, .error = error };

	if (!ow_ubf_is(p_ub)) {
		snprintf(error, OW_JSON_ERROR_MAX, "not a UBF buffer");
		return -EINVAL;
	}
	if (ow_fldtbl_get(&p.names, error) < 0)
		p.names = NULL;
	error[0] = '\0';
	return print_level(&p, p_ub, 0);
}
