/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whole.c - operations on whole buffers, and functions kept for FML
 */
#include "libubf/buffer.h"

#include <errno.h>

#include "libubf/bulk.h"
#include "libubf/cleanup.h"
#include "libubf/store.h"

static int list_failed(int r, const char *what)
{
	if (r == -EINVAL)
		return ow_ubf_fail(BBADFLD, "%s: bad id in the list", what);
	return ow_ubf_fail_errno(r, what);
}

int Bproj(UBFH *p_ub, BFLDID *fldlist)
{
	OW_CLEANUP(ow_cleanup_freep) BFLDID *ids = NULL;
	uint32_t n;
	int r;

	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	r = ow_ubf_list(fldlist, &ids, &n);
	if (r < 0)
		return list_failed(r, "Bproj");
	ow_ubf_filter(p_ub, ids, n, 1);
	return 0;
}

/* Empty dst and copy the fields of a sorted list; -ENOSPC leaves dst. */
static int project(UBFH *dst, const UBFH *src, const BFLDID *ids, uint32_t n)
{
	uint32_t i, lo, hi, k = 0;
	uint64_t bytes = 0;

	for (i = 0; i < n; i++) {
		lo = ow_ubf_lower(src, ids[i]);
		hi = ow_ubf_upper(src, ids[i]);
		if (i > 0 && ids[i] == ids[i - 1])
			continue;
		k += hi - lo;
		bytes += ow_ubf_range_bytes(src, lo, hi - lo);
	}
	if (sizeof(*dst) + k * sizeof(struct ow_ubf_ent) + bytes > dst->size)
		return -ENOSPC;
	(void)ow_ubf_init(dst, dst->size);
	(void)ow_ubf_reserve(dst, 0, k, bytes);
	for (i = 0; i < n; i++) {
		lo = ow_ubf_lower(src, ids[i]);
		hi = ow_ubf_upper(src, ids[i]);
		if (hi > lo && (i == 0 || ids[i] != ids[i - 1]))
			ow_ubf_append_reserved(dst, src, lo, hi - lo);
	}
	return 0;
}

int Bprojcpy(UBFH *p_ub_dst, UBFH *p_ub_src, BFLDID *fldlist)
{
	OW_CLEANUP(ow_cleanup_freep) BFLDID *ids = NULL;
	uint32_t n;
	int r;

	if (ow_ubf_enter(p_ub_src) < 0 || ow_ubf_enter(p_ub_dst) < 0)
		return -1;
	if (p_ub_dst == p_ub_src)
		return Bproj(p_ub_dst, fldlist);
	r = ow_ubf_list(fldlist, &ids, &n);
	if (r < 0)
		return list_failed(r, "Bprojcpy");
	r = project(p_ub_dst, p_ub_src, ids, n);
	return r < 0 ? ow_ubf_fail_errno(r, "Bprojcpy") : 0;
}

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
	if (merge(dest, src, OW_UBF_MERGE_MATCHED, "Bjoin") < 0)
		return -1;
	if (dest != src)
		ow_ubf_drop_unmatched(dest, src);
	return 0;
}

int Bindex(UBFH *p_ub, BFLDOCC occ)
{
	return ow_ubf_enter(p_ub);
}

BFLDOCC Bunindex(UBFH *p_ub)
{
	return ow_ubf_enter(p_ub);
}

long Bidxused(UBFH *p_ub)
{
	return ow_ubf_enter(p_ub);
}

int Brstrindex(UBFH *p_ub, BFLDOCC occ)
{
	return ow_ubf_enter(p_ub);
}

int B16to32(UBFH *dst, UBFH *src)
{
	return Bcpy(dst, src);
}

int B32to16(UBFH *dst, UBFH *src)
{
	return Bcpy(dst, src);
}
