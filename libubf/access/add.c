/* SPDX-License-Identifier: Apache-2.0 */
/*
 * add.c - Badd, CBadd, Badds, Baddfast: add an occurrence of a field
 */
#include "libubf/access/value.h"

#include "libubf/base/cleanup.h"
#include "libubf/tables/fldtext.h"

int Badd(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len)
{
	struct ow_ubf_val v;
	int r;

	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return -1;
	r = ow_ubf_measure(ow_ubf_id_type(bfldid), buf, len, &v);
	if (r == 0)
		r = ow_ubf_add(p_ub, bfldid, v);
	else if (r == OW_UBF_APART)
		return CBadd(p_ub, bfldid, buf, len, BFLD_VIEW);
	return r < 0 ? ow_ubf_put_failed(r, "Badd", p_ub, bfldid,
					 &(struct ow_ubf_user){ buf, len,
					 Bfldtype(bfldid) })
		     : 0;
}

int CBadd(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len, int usrtype)
{
	OW_CLEANUP(ow_cleanup_freep) void *copy = NULL;
	struct ow_ubf_user user = { buf, len, usrtype };
	struct ow_ubf_conv c;
	int r;

	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return -1;
	r = ow_ubf_import(p_ub, bfldid, &user, &c, &copy);
	if (r == 0)
		r = ow_ubf_add(p_ub, bfldid, c.val);
	return r < 0 ? ow_ubf_put_failed(r, "CBadd", p_ub, bfldid, &user) : 0;
}

int Badds(UBFH *p_ub, BFLDID bfldid, char *buf)
{
	return CBadd(p_ub, bfldid, buf, 0, BFLD_STRING);
}

/* Badd() appends in O(1) when ids ascend, so Baddfast() only checks that they
 * do. */
static int check_order(BFLDID bfldid, Bfld_loc_info_t *loc)
{
	if (loc == NULL)
		return ow_ubf_fail(BEINVAL, "Baddfast: no state");
	if (bfldid < loc->last_Baddfast)
		return ow_ubf_fail(BEINVAL, "Baddfast: field %s after %s",
				   ow_fldtext(bfldid).s,
				   ow_fldtext(loc->last_Baddfast).s);
	return 0;
}

int Baddfast(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len,
	     Bfld_loc_info_t *next_fld)
{
	if (ow_ubf_enter_field(p_ub, bfldid) < 0 ||
	    check_order(bfldid, next_fld) < 0 ||
	    Badd(p_ub, bfldid, buf, len) < 0)
		return -1;
	next_fld->last_Baddfast = bfldid;
	return 0;
}

int CBaddfast(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len, int usrtype,
	      Bfld_loc_info_t *next_fld)
{
	if (ow_ubf_enter_field(p_ub, bfldid) < 0 ||
	    check_order(bfldid, next_fld) < 0 ||
	    CBadd(p_ub, bfldid, buf, len, usrtype) < 0)
		return -1;
	next_fld->last_Baddfast = bfldid;
	return 0;
}

int ndrx_Fadd(UBFH *p_ub, BFLDID bfldid, char *buf, BFLDLEN len)
{
	if (ow_ubf_id_type(bfldid) == BFLD_PTR)
		return Badd(p_ub, bfldid, (char *)&buf, len);
	return Badd(p_ub, bfldid, buf, len);
}
