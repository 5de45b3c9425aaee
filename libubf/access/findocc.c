/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findocc.c - Bfindocc, CBfindocc: the occurrence that has a value
 */
#include "libubf/access/value.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/access/compare.h"
#include "libubf/regex/regex.h"
#include "libubf/store/search.h"

/* The first occurrence equal to v, or -1 with Berror. */
static BFLDOCC find_equal(const struct Ubfh *h, BFLDID id, struct ow_ubf_val v)
{
	uint32_t lo = ow_ubf_lower(h, id), hi = ow_ubf_upper(h, id), i;
	unsigned int type = ow_ubf_id_type(id);

	for (i = lo; i < hi; i++) {
		if (ow_ubf_compare(type, ow_ubf_val_at(h, type, i), v) == 0)
			return (BFLDOCC)(i - lo);
	}
	return ow_ubf_notpres(id, -1);
}

/* The first string that the regular expression matches as a whole, or -1 with
 * Berror. */
static BFLDOCC find_match(const struct Ubfh *h, BFLDID id, const char *expr)
{
	OW_CLEANUP(ow_cleanup_freep) char *whole = NULL;
	uint32_t lo = ow_ubf_lower(h, id), hi = ow_ubf_upper(h, id), i;
	struct ow_regex re = { 0 };
	char error[120];
	int r;

	if (asprintf(&whole, "^(%s)$", expr) < 0) {
		whole = NULL;
		return ow_ubf_fail(BMALLOC, "Bfindocc: out of memory");
	}
	r = ow_regex_compile(&re, whole, error, sizeof(error));
	if (r == -EINVAL)
		return ow_ubf_fail(BEINVAL, "Bfindocc: regular expression "
				   "'%.200s': %s", expr, error);
	for (i = lo; i < hi && r == 0; i++) {
		struct ow_ubf_val v = ow_ubf_val_at(h, BFLD_STRING, i);

		r = ow_regex_run(&re, v.data, v.len - 1);
	}
	ow_regex_close(&re);
	if (r < 0)
		return ow_ubf_fail(BMALLOC, "Bfindocc: out of memory");
	return r > 0 ? (BFLDOCC)(i - 1 - lo) : ow_ubf_notpres(id, -1);
}

BFLDOCC Bfindocc(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len)
{
	unsigned int type = ow_ubf_id_type(bfldid);
	struct ow_ubf_val v;
	int r;

	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return BBADFLDOCC;
	if (buf == NULL)
		return ow_ubf_fail(BEINVAL, "Bfindocc: no value");
	if (type == BFLD_STRING && len != 0)
		return find_match(p_ub, bfldid, buf);
	r = ow_ubf_measure(type, buf, len, &v);
	if (r == OW_UBF_APART)
		return CBfindocc(p_ub, bfldid, buf, len, BFLD_VIEW);
	if (r < 0)
		return ow_ubf_fail_errno(r, "Bfindocc");
	return find_equal(p_ub, bfldid, v);
}

BFLDOCC CBfindocc(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len,
		  int usrtype)
{
	OW_CLEANUP(ow_cleanup_freep) void *copy = NULL;
	struct ow_ubf_conv c;
	int r;

	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return BBADFLDOCC;
	if (buf != NULL && usrtype == BFLD_STRING &&
	    ow_ubf_id_type(bfldid) == BFLD_STRING)
		return Bfindocc(p_ub, bfldid, buf, len);
	r = ow_ubf_import(p_ub, bfldid, &(struct ow_ubf_user){ buf, len,
			  usrtype }, &c, &copy);
	if (r < 0)
		return ow_ubf_fail_errno(r, "CBfindocc");
	return find_equal(p_ub, bfldid, c.val);
}
