/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.c - Bvsizeof, Bvoccur, Bvnext, Bvcmp, Bvcpy, Bvopt: views as a whole
 *
 * Bvnext keeps numbers in its state, not pointers: any state leads to a member
 * or to an error.
 */
#include "libubf/view/enter.h"

#include <string.h>

#include "libubf/base/error.h"
#include "libubf/viewdef/mem.h"
#include "libubf/viewdef/registry.h"

long Bvsizeof(char *view)
{
	const struct ow_view *v;

	return ow_view_enter(view, &v) < 0 ? -1 : (long)v->size;
}

/* Room for the structure in a buffer of type VIEW: it lies there as it is. */
long Bvneeded(char *view)
{
	return Bvsizeof(view);
}

long Bvcpy(char *cstruct_dst, char *cstruct_src, char *view)
{
	const struct ow_view *v;

	if (ow_view_enter(view, &v) < 0)
		return -1;
	if (cstruct_dst == NULL || cstruct_src == NULL)
		return ow_ubf_fail(BEINVAL, "Bvcpy: no structure");
	memmove(cstruct_dst, cstruct_src, v->size);
	return (long)v->size;
}

BFLDOCC Bvoccur(char *cstruct, char *view, char *cname, BFLDOCC *maxocc,
		BFLDOCC *realocc, long *dim_size, int *fldtype)
{
	struct ow_view_at at;

	if (ow_view_enter_member(cstruct, view, cname, &at) < 0)
		return -1;
	if (maxocc != NULL)
		*maxocc = (BFLDOCC)at.col->count;
	if (realocc != NULL)
		*realocc = (BFLDOCC)ow_view_real(at.col, cstruct);
	if (dim_size != NULL)
		*dim_size = (long)at.col->size;
	if (fldtype != NULL)
		*fldtype = at.col->type;
	return (BFLDOCC)ow_view_used(at.col, cstruct);
}

/* The view of the walk and its next column: 0, or -1 with Berror. */
static int next_column(const Bvnext_state_t *state, char *view,
		       const struct ow_view **ret_view, uintptr_t *ret_col)
{
	if (view != NULL) {
		*ret_col = 0;
		return ow_view_enter(view, ret_view);
	}
	ow_ubf_clear();
	/* 0: no walk has begun. */
	*ret_view = ow_view_by_number((uintptr_t)state->v - 1);
	if (*ret_view == NULL)
		return ow_ubf_fail(BEINVAL, "Bvnext: no view, and no walk "
				   "begun");
	*ret_col = (uintptr_t)state->vel;
	return 0;
}

int Bvnext(Bvnext_state_t *state, char *view, char *cname, int *fldtype,
	   BFLDOCC *maxocc, long *dim_size)
{
	const struct ow_view *v;
	const struct ow_view_col *c;
	uintptr_t i;

	ow_ubf_clear();
	if (state == NULL || cname == NULL)
		return ow_ubf_fail(BEINVAL, "Bvnext: no state, or no memory "
				   "for the name");
	if (next_column(state, view, &v, &i) < 0)
		return -1;
	state->v = (void *)((uintptr_t)v->no + 1);
	if (i >= v->ncols)
		return 0;
	c = v->cols + i;
	state->vel = (void *)(i + 1);
	strcpy(cname, c->cname);
	if (fldtype != NULL)
		*fldtype = c->type;
	if (maxocc != NULL)
		*maxocc = (BFLDOCC)c->count;
	if (dim_size != NULL)
		*dim_size = (long)c->size;
	return 1;
}

int Bvcmp(char *cstruct1, char *view1, char *cstruct2, char *view2)
{
	const struct ow_view *a, *b;
	int r;

	if (ow_view_enter(view1, &a) < 0 || ow_view_enter(view2, &b) < 0)
		return -2;
	if (cstruct1 == NULL || cstruct2 == NULL) {
		ow_ubf_fail(BEINVAL, "Bvcmp: no structure");
		return -2;
	}
	r = strcmp(a->name, b->name);
	if (r != 0)
		return r < 0 ? -1 : 1;
	return ow_view_compare(a, cstruct1, cstruct2);
}

int Bvopt(char *cname, int option, char *view)
{
	static const int mappings[] = {
		[B_FTOS] = OW_VIEW_S, [B_STOF] = OW_VIEW_F,
		[B_OFF] = 0,	      [B_BOTH] = OW_VIEW_F | OW_VIEW_S,
	};
	const struct ow_view *v;
	struct ow_view_col *c;

	if (ow_view_enter(view, &v) < 0)
		return -1;
	if (cname == NULL || *cname == '\0' || option < B_FTOS ||
	    option > B_BOTH)
		return ow_ubf_fail(BEINVAL, "Bvopt: no member, or option %d",
				   option);
	c = ow_view_column(v, cname);
	if (c == NULL)
		return ow_ubf_fail(BNOCNAME, "view %s has no member '%.60s'",
				   view, cname);
	if (option != B_OFF && c->fbname == NULL)
		return ow_ubf_fail(BEINVAL, "Bvopt: %s.%s has no field to map "
				   "to", view, cname);
	__atomic_store_n(&c->mapping, mappings[option], __ATOMIC_RELAXED);
	return 0;
}

void Bvrefresh(void)
{
}
