/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chg.c - Bchg, CBchg, Bchgs: change the value of an occurrence
 */
#include "libubf/access/value.h"

#include "libubf/base/cleanup.h"

int Bchg(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN len)
{
	struct ow_ubf_val v;
	int r;

	if (buf == NULL)
		return Bdel(p_ub, bfldid, occ);
	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return -1;
	r = ow_ubf_measure(ow_ubf_id_type(bfldid), buf, len, &v);
	if (r == 0)
		r = ow_ubf_chg_value(p_ub, bfldid, occ, v);
	else if (r == OW_UBF_APART)
		return CBchg(p_ub, bfldid, occ, buf, len, BFLD_VIEW);
	return r < 0 ? ow_ubf_put_failed(r, "Bchg", p_ub, bfldid,
					 &(struct ow_ubf_user){ buf, len,
					 Bfldtype(bfldid) })
		     : 0;
}

int CBchg(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN len,
	  int usrtype)
{
	OW_CLEANUP(ow_cleanup_freep) void *copy = NULL;
	struct ow_ubf_user user = { buf, len, usrtype };
	struct ow_ubf_conv c;
	int r;

	if (buf == NULL)
		return Bdel(p_ub, bfldid, occ);
	if (ow_ubf_enter_field(p_ub, bfldid) < 0)
		return -1;
	r = ow_ubf_import(p_ub, bfldid, &user, &c, &copy);
	if (r == 0)
		r = ow_ubf_chg_value(p_ub, bfldid, occ, c.val);
	return r < 0 ? ow_ubf_put_failed(r, "CBchg", p_ub, bfldid, &user) : 0;
}

int Bchgs(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf)
{
	return CBchg(p_ub, bfldid, occ, buf, 0, BFLD_STRING);
}

int ndrx_Fchg(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ, char *buf, BFLDLEN len)
{
	if (ow_ubf_id_type(bfldid) == BFLD_PTR)
		return Bchg(p_ub, bfldid, occ, (char *)&buf, len);
	return Bchg(p_ub, bfldid, occ, buf, len);
}
