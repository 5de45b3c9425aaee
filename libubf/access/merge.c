/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - Bupdate, Bconcat, Bjoin, Bojoin: one buffer into another
 */
#include "libubf/store/merge.h"

#include "libubf/access/enter.h"
#include "libubf/store/bulk.h"

static int merge(UBFH *dst, UBFH *src, enum ow_ubf_merge how, const char *what)
{
	int r;

	if (ow_ubf_enter(dst) < 0 || ow_ubf_enter(src) < 0)
		return -1;
	r = ow_ubf_merge(dst, src, how);
	return r < 0 ? ow_ubf_fail_errno(r, what) : 0;
}

int Bupdate(UBFH *p_ub_dst, UBFH *p_ub_src)
{
	return merge(p_ub_dst, p_ub_src, OW_UBF_MERGE_UPDATE, "Bupdate");
}

int Bconcat(UBFH *p_ub_dst, UBFH *p_ub_src)
{
	return merge(p_ub_dst, p_ub_src, OW_UBF_MERGE_CONCAT, "Bconcat");
}

int Bojoin(UBFH *dest, UBFH *src)
{
	return merge(dest, src, OW_UBF_MERGE_MATCHED, "Bojoin");
}

int Bjoin(UBFH *dest, UBFH *src)
{
	int r;

	if (merge(dest, src, OW_UBF_MERGE_MATCHED, "Bjoin") < 0)
		return -1;
	if (dest == src)
		return 0;
	r = ow_ubf_drop_unmatched(dest, src);
	return r < 0 ? ow_ubf_fail_errno(r, "Bjoin") : 0;
}
