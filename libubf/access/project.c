/* SPDX-License-Identifier: Apache-2.0 */
/*
 * project.c - Bproj, Bprojcpy, Bdelete: fields chosen by a list
 */
#include "libubf/access/enter.h"

#include <errno.h>

#include "libubf/base/cleanup.h"
#include "libubf/store/bulk.h"
#include "libubf/store/search.h"
#include "libubf/store/store.h"

#define RANGES_KNOWN 32	/* so many ids of a list are searched only once */

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
	r = ow_ubf_filter(p_ub, ids, n, 1);
	return r < 0 ? list_failed(r, "Bproj") : 0;
}

int Bdelete(UBFH *p_ub, BFLDID *fldlist)
{
	OW_CLEANUP(ow_cleanup_freep) BFLDID *ids = NULL;
	uint32_t n, before;
	int r;

	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (fldlist == NULL)
		return ow_ubf_fail(BEINVAL, "Bdelete: no list");
	r = ow_ubf_list(fldlist, &ids, &n);
	if (r < 0)
		return list_failed(r, "Bdelete");
	before = ow_ubf_count(p_ub);
	r = ow_ubf_filter(p_ub, ids, n, 0);
	if (r < 0)
		return ow_ubf_fail_errno(r, "Bdelete");
	return n > 0 && ow_ubf_count(p_ub) == before
		       ? ow_ubf_fail(BNOTPRES, "Bdelete: no field of the list "
				     "is present")
		       : 0;
}

/* The entries of src with one id. */
struct range {
	uint32_t lo, k;
};

static struct range range_of(const struct Ubfh *src, const BFLDID *ids,
			     uint32_t i)
{
	struct range r = { 0, 0 };

	if (i > 0 && ids[i] == ids[i - 1])
		return r;
	r.lo = ow_ubf_lower(src, ids[i]);
	r.k = ow_ubf_upper(src, ids[i]) - r.lo;
	return r;
}

/* What the fields of a sorted list take in an empty buffer. */
static struct ow_ubf_want listed(const UBFH *src, const BFLDID *ids, uint32_t n)
{
	struct ow_ubf_want w = { 0 };
	struct range r;
	uint32_t i;

	for (i = 0; i < n; i++) {
		r = range_of(src, ids, i);
		ow_ubf_range_want(src, r.lo, r.k, &w);
	}
	if (n > 0 && ow_ubf_id_type(ids[n - 1]) >= BFLD_CARRAY)
		w.bytes += OW_UBF_HEAP_UNIT;	/* alignment */
	return w;
}

/* Empty dst and copy the fields of a sorted list to it: 0, or -ENOSPC (dst is
 * unchanged). The values take at most the whole heap of src; they are only
 * counted if that much room is not there. */
static int project(UBFH *dst, const UBFH *src, const BFLDID *ids, uint32_t n)
{
	struct ow_ubf_want w = { 0 };
	struct range known[RANGES_KNOWN], r;
	uint32_t i;
	int res;

	for (i = 0; i < n; i++) {
		r = range_of(src, ids, i);
		if (ow_ubf_type_wide(ow_ubf_id_type(ids[i])))
			w.wide += r.k;
		else
			w.narrow += r.k;
		if (i < RANGES_KNOWN)
			known[i] = r;
	}
	w.bytes = src->used - src->heap + OW_UBF_HEAP_UNIT;
	w.longest = ow_ubf_plain(src) ? w.bytes : 0;
	if (ow_ubf_size_for(&w) > dst->size) {
		w = listed(src, ids, n);
		if (ow_ubf_size_for(&w) > dst->size)
			return -ENOSPC;
	}
	(void)ow_ubf_init(dst, dst->size);
	res = ow_ubf_reserve(dst, 0, &w);
	for (i = 0; i < n && res == 0; i++) {
		r = i < RANGES_KNOWN ? known[i] : range_of(src, ids, i);
		if (r.k > 0)
			ow_ubf_append_field(dst, src, r.lo, r.k);
	}
	return res;
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
