/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - Bvftos, Bvstof: copy between a structure and a buffer
 *
 * Bvstof makes a buffer of the structure first and merges it into the caller's
 * with Bupdate, Bjoin, Bojoin or Bconcat, so all of it arrives or nothing. Null
 * elements at the end of an array are left out; null elements before others are
 * copied, so that every element keeps its occurrence. Bvftos sets every member:
 * those that it does not map, too, become null.
 */
#include "libubf/view/enter.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/access/value.h"
#include "libubf/base/cleanup.h"
#include "libubf/store/search.h"
#include "libubf/tables/fldname.h"
#include "libubf/viewdef/mem.h"

/* The id of the field of a column: 0, or -1 with Berror. */
static int field_of(struct ow_view_col *c, BFLDID *ret_id)
{
	const struct ow_fldtbl *t;
	BFLDID id = __atomic_load_n(&c->id, __ATOMIC_RELAXED);

	if (id == BBADFLDID) {
		if (ow_fldname_tables(&t) < 0)
			return -1;
		id = ow_fldtbl_id_now(&t, c->fbname);
		if (id == BBADFLDID)
			return ow_ubf_fail(BBADNAME, "%s: there is no field "
					   "'%s'", c->cname, c->fbname);
		__atomic_store_n(&c->id, id, __ATOMIC_RELAXED);
	}
	*ret_id = id;
	return 0;
}

static int maps(const struct ow_view_col *c, int way)
{
	return c->fbname != NULL &&
	       (__atomic_load_n(&c->mapping, __ATOMIC_RELAXED) & way);
}

static int failed(int r, const struct ow_view_col *c)
{
	if (r == -ENOSPC)
		return ow_ubf_fail(BNOSPACE, "%s has no room for %s",
				   c->cname, c->fbname);
	return ow_ubf_fail_errno(r, c->cname);
}

/* The occurrences of a field become the elements of its member. */
static int column_from_buffer(const UBFH *p_ub, struct ow_view_col *c,
			      char *cs)
{
	uint32_t n, i, lo;
	BFLDID id;
	int r;

	if (field_of(c, &id) < 0)
		return -1;
	lo = ow_ubf_lower(p_ub, id);
	n = ow_ubf_upper(p_ub, id) - lo;
	if (n > c->count)
		n = c->count;
	for (i = 0; i < n; i++) {
		r = ow_view_store(c, cs, i, ow_ubf_id_type(id),
				  ow_ubf_val_at(p_ub, ow_ubf_id_type(id),
						 lo + i));
		if (r < 0)
			return failed(r, c);
	}
	for (; i < c->count; i++)
		ow_view_store_null(c, cs, i);
	ow_view_set_used(c, cs, n);
	return 0;
}

/* Check what both functions are given: 0, or -1 with Berror. */
static int enter(const UBFH *p_ub, const char *cstruct, const char *view,
		 const struct ow_view **ret_view)
{
	ow_ubf_clear();
	if (p_ub == NULL || cstruct == NULL)
		return ow_ubf_fail(BEINVAL, p_ub == NULL ? "no buffer"
							 : "no structure");
	return ow_ubf_enter(p_ub) < 0 ? -1 : ow_view_enter(view, ret_view);
}

int Bvftos(UBFH *p_ub, char *cstruct, char *view)
{
	const struct ow_view *v;
	uint32_t i;

	if (enter(p_ub, cstruct, view, &v) < 0)
		return -1;
	for (i = 0; i < v->ncols; i++) {
		if (!maps(v->cols + i, OW_VIEW_S))
			ow_view_init_member(v->cols + i, cstruct);
		else if (column_from_buffer(p_ub, v->cols + i, cstruct) < 0)
			return -1;
	}
	return 0;
}

/* Bytes of a buffer that is large enough for the mapped members. */
static uint64_t bound(const struct ow_view *v, const char *cs)
{
	uint64_t sum = sizeof(struct Ubfh);
	uint32_t i;

	for (i = 0; i < v->ncols; i++) {
		const struct ow_view_col *c = v->cols + i;
		uint64_t each = c->size < OW_NUMTEXT_MAX ? OW_NUMTEXT_MAX
							 : c->size;

		if (maps(c, OW_VIEW_F))
			sum += ow_view_used(c, cs) *
			       (2 * OW_UBF_SLOT +
				ow_ubf_round(each + 1));
	}
	return ow_ubf_round(sum + 1024);
}

static int column_to_buffer(struct Ubfh *to, struct ow_view_col *c,
			    const char *cs)
{
	struct ow_ubf_conv conv;
	struct ow_ubf_val v;
	unsigned int type;
	uint32_t i, n = ow_view_real(c, cs);
	BFLDID id;
	int r;

	if (ow_view_claimed(c, cs) != (long)ow_view_used(c, cs))
		return ow_ubf_fail(ow_view_claimed(c, cs) < 0 ? BBADACM
							      : BEINVAL,
				   "C_%s is %ld, not in 0..%u", c->cname,
				   ow_view_claimed(c, cs), c->count);
	if (field_of(c, &id) < 0)
		return -1;
	for (i = 0; i < n; i++) {
		if (ow_view_length(c, cs, i) > c->size)
			return ow_ubf_fail(BEINVAL, "L_%s of element %u is %u,"
					   " above its size of %u", c->cname,
					   i, ow_view_length(c, cs, i),
					   c->size);
		v = ow_view_value(c, cs, i, &type);
		r = ow_ubf_convert(type, v, ow_ubf_id_type(id), &conv);
		if (r == 0)
			r = ow_ubf_add(to, id, conv.val);
		if (r < 0)
			return failed(r, c);
	}
	return 0;
}

/* Make a buffer of all mapped members: 0, or -1 with Berror. */
static int make_buffer(const struct ow_view *v, const char *cs,
		       UBFH **ret_buffer)
{
	OW_CLEANUP(ow_cleanup_freep) UBFH *tmp = NULL;
	uint64_t size = bound(v, cs);
	uint32_t i;

	if (size > OW_UBF_SIZE_MAX)
		return ow_ubf_fail(BNOSPACE, "Bvstof: %s is too large",
				   v->name);
	tmp = malloc(size);
	if (tmp == NULL || ow_ubf_init(tmp, size) < 0)
		return ow_ubf_fail(BMALLOC, "Bvstof: out of memory");
	for (i = 0; i < v->ncols; i++) {
		if (maps(v->cols + i, OW_VIEW_F) &&
		    column_to_buffer(tmp, v->cols + i, cs) < 0)
			return -1;
	}
	*ret_buffer = tmp;
	tmp = NULL;
	return 0;
}

/* The length members of strings are not read; they say what was copied. */
static void measure_strings(const struct ow_view *v, char *cs)
{
	uint32_t i, k, n;

	for (i = 0; i < v->ncols; i++) {
		n = maps(v->cols + i, OW_VIEW_F)
			    ? ow_view_real(v->cols + i, cs)
			    : 0;
		for (k = 0; k < n; k++)
			ow_view_measure(v->cols + i, cs, k);
	}
}

int Bvstof(UBFH *p_ub, char *cstruct, int mode, char *view)
{
	static int (*const modes[])(UBFH *, UBFH *) = {
		[BUPDATE] = Bupdate, [BOJOIN] = Bojoin,
		[BJOIN] = Bjoin,     [BCONCAT] = Bconcat,
	};
	OW_CLEANUP(ow_cleanup_freep) UBFH *tmp = NULL;
	const struct ow_view *v;

	if (enter(p_ub, cstruct, view, &v) < 0)
		return -1;
	if (mode < BUPDATE || mode > BCONCAT)
		return ow_ubf_fail(BEINVAL, "Bvstof: there is no mode %d",
				   mode);
	if (make_buffer(v, cstruct, &tmp) < 0 || modes[mode](p_ub, tmp) < 0)
		return -1;
	measure_strings(v, cstruct);
	return 0;
}
