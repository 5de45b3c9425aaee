/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - Bvgetfields, Bvputfields: all members of a structure in one call
 *
 * An element of the array is an element of a member, as the description of the
 * view has them. A null one has no data.
 */
#include "libubf/view/enter.h"

#include <string.h>
#include <tpbind.h>

#include "libubf/base/error.h"
#include "libubf/convert/check.h"
#include "libubf/tables/errtext.h"
#include "libubf/viewdef/mem.h"

/* Bytes of an element that are its value: without the NUL of a string. */
static long length(const struct ow_view_col *c, const char *cs, uint32_t occ)
{
	const char *at = cs + c->offset + (size_t)occ * c->size;
	uint32_t len = c->size;

	if (c->type == BFLD_STRING)
		return (long)strnlen(at, c->size);
	if (c->type == BFLD_CARRAY)
		len = ow_view_length(c, cs, occ);
	return len < c->size ? (long)len : (long)c->size;
}

static struct Bfield field_of(const struct ow_view_col *c, char *cs,
			      uint32_t occ)
{
	struct Bfield f = { .occ = (BFLDOCC)occ,
			    .type = c->type,
			    .parent = -1,
			    .name = c->cname };

	if (ow_view_is_null(c, cs, occ))
		return f;
	f.data = cs + c->offset + (size_t)occ * c->size;
	f.len = length(c, cs, occ);
	return f;
}

int Bvgetfields(char *cstruct, char *view, struct Bfield *fields, int max)
{
	const struct ow_view *v;
	uint32_t i, k, used;
	int n = 0;

	if (ow_view_enter(view, &v) < 0)
		return -1;
	if (cstruct == NULL || max < 0 || (fields == NULL && max > 0))
		return ow_ubf_fail(BEINVAL, "Bvgetfields: no structure, or no "
				   "array of %d fields", max);
	for (i = 0; i < v->ncols; i++) {
		used = ow_view_used(&v->cols[i], cstruct);
		for (k = 0; k < used; k++, n++)
			if (n < max)
				fields[n] = field_of(&v->cols[i], cstruct, k);
	}
	return n;
}

/* One element: 0, or -1 with Berror. */
static int put_one(char *cstruct, char *view, const struct Bfield *f)
{
	struct ow_view_at at;

	if (f->name == NULL || f->occ < 0)
		return ow_ubf_fail(BEINVAL, "no name, or no occurrence");
	if (ow_view_enter_member(cstruct, view, f->name, &at) < 0)
		return -1;
	if (f->data == NULL) /* it is null already */
		return 0;
	if (f->type != at.col->type &&
	    ow_ubf_check_fit(f->type, f->data, f->len, at.col->type) < 0)
		return -1;
	return CBvchg(cstruct, view, (char *)f->name, f->occ, f->data,
		      (BFLDLEN)f->len, f->type);
}

/* Berror stays; its text names the element. */
static int fail_element(int i, const struct Bfield *f)
{
	return ow_ubf_fail_in("element %d, member %.60s occurrence %d: ", i,
			      f->name != NULL ? f->name : "?", f->occ);
}

int Bvputfields(char *cstruct, char *view, const struct Bfield *fields, int n,
		int *bad)
{
	int i;

	if (bad != NULL)
		*bad = -1;
	if (Bvsinit(cstruct, view) < 0)
		return -1;
	if (n < 0 || (fields == NULL && n > 0))
		return ow_ubf_fail(BEINVAL, "Bvputfields: no array of %d "
				   "fields", n);
	for (i = 0; i < n; i++) {
		if (put_one(cstruct, view, &fields[i]) == 0)
			continue;
		if (bad != NULL)
			*bad = i;
		return fail_element(i, &fields[i]);
	}
	return 0;
}
