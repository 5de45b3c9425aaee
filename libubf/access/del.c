/* SPDX-License-Identifier: Apache-2.0 */
/*
 * del.c - Bdel, Bdelall, Bdelete: remove occurrences
 */
#include "libubf/store/buffer.h"

#include <errno.h>

#include "libubf/store/bulk.h"
#include "libubf/base/cleanup.h"
#include "libubf/store/store.h"

int Bdel(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ)
{
	uint32_t at;

	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return -1;
	if (!ow_ubf_rank(p_ub, bfldid, occ, &at))
		return ow_ubf_notpres(bfldid, occ);
	ow_ubf_remove(p_ub, at, 1);
	return 0;
}

int Bdelall(UBFH *p_ub, BFLDID bfldid)
{
	uint32_t lo, hi;

	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return -1;
	lo = ow_ubf_lower(p_ub, bfldid);
	hi = ow_ubf_upper(p_ub, bfldid);
	if (lo == hi)
		return ow_ubf_notpres(bfldid, 0);
	ow_ubf_remove(p_ub, lo, hi - lo);
	return 0;
}

int Bdelete(UBFH *p_ub, BFLDID *fldlist)
{
	OW_CLEANUP(ow_cleanup_freep) BFLDID *ids = NULL;
	uint32_t n;
	int r;

	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (fldlist == NULL)
		return ow_ubf_fail(BEINVAL, "Bdelete: no list");
	r = ow_ubf_list(fldlist, &ids, &n);
	if (r == -EINVAL)
		return ow_ubf_fail(BBADFLD, "Bdelete: bad id in the list");
	if (r < 0)
		return ow_ubf_fail_errno(r, "Bdelete");
	r = ow_ubf_filter(p_ub, ids, n, 0);
	return r < 0 ? ow_ubf_fail_errno(r, "Bdelete") : 0;
}
