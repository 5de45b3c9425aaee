/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chg.c - CBvchg, Bvsetoccur, Bvselinit, Bvsinit: change a structure
 */
#include "libubf/view/enter.h"

#include <errno.h>

#include "libubf/base/error.h"
#include "libubf/store/store.h"
#include "libubf/viewdef/mem.h"
#include "libubf/viewdef/registry.h"

static int set_failed(int r, const struct ow_view_col *c, BFLDOCC occ)
{
	if (r == -ENOSPC)
		return ow_ubf_fail(BNOSPACE, "%s[%d] has %u bytes, too few for "
				   "the value", c->cname, occ, c->size);
	return ow_ubf_fail_errno(r, c->cname);
}

int CBvchg(char *cstruct, char *view, char *cname, BFLDOCC occ, char *buf,
	   BFLDLEN len, int usrtype)
{
	struct ow_view_at at;
	struct ow_ubf_val v;
	int r;

	if (ow_view_enter_member(cstruct, view, cname, &at) < 0)
		return -1;
	if (usrtype < BFLD_MIN || usrtype > BFLD_MAX || usrtype == BFLD_RFU0)
		return ow_ubf_fail(BTYPERR, "%d is not a field type", usrtype);
	if (usrtype == BFLD_UBF || usrtype == BFLD_VIEW)
		return ow_ubf_fail_errno(-EOPNOTSUPP, "CBvchg");
	if (occ < 0 || (uint32_t)occ >= at.col->count)
		return ow_ubf_fail(BEINVAL, "%s has %u occurrences, not %d",
				   cname, at.col->count, occ);
	r = ow_ubf_measure((unsigned int)usrtype, buf, len, &v);
	if (r < 0)
		return ow_ubf_fail_errno(r, "CBvchg");
	r = ow_view_store(at.col, cstruct, (uint32_t)occ,
			  (unsigned int)usrtype, v);
	if (r < 0)
		return set_failed(r, at.col, occ);
	if ((uint32_t)occ >= ow_view_used(at.col, cstruct))
		ow_view_set_used(at.col, cstruct, (uint32_t)occ + 1);
	return 0;
}

int Bvsetoccur(char *cstruct, char *view, char *cname, BFLDOCC occ)
{
	struct ow_view_at at;

	if (ow_view_enter_member(cstruct, view, cname, &at) < 0)
		return -1;
	if (occ < 0 || (uint32_t)occ > at.col->count)
		return ow_ubf_fail(BEINVAL, "%s has at most %u occurrences, "
				   "not %d", cname, at.col->count, occ);
	ow_view_set_used(at.col, cstruct, (uint32_t)occ);
	return 0;
}

int Bvselinit(char *cstruct, char *cname, char *view)
{
	struct ow_view_at at;

	if (ow_view_enter_member(cstruct, view, cname, &at) < 0)
		return -1;
	ow_view_init_member(at.col, cstruct);
	return 0;
}

int Bvsinit(char *cstruct, char *view)
{
	const struct ow_view *v;

	if (ow_view_enter(view, &v) < 0)
		return -1;
	if (cstruct == NULL)
		return ow_ubf_fail(BEINVAL, "Bvsinit: no structure");
	ow_view_init(v, cstruct);
	return 0;
}
