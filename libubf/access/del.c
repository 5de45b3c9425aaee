/* SPDX-License-Identifier: Apache-2.0 */
/*
 * del.c - Bdel, Bdelall: remove occurrences
 */
#include "libubf/access/enter.h"
#include "libubf/store/search.h"
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
