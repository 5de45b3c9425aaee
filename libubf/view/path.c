/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.c - CBvgetr, CBvgetallocr, Bvnullr: members of views in buffers
 */
#include "libubf/access/path.h"

#include "libubf/store/search.h"
#include "libubf/tables/fldtext.h"
#include "libubf/access/value.h"
#include "libubf/viewdef/field.h"

/* Find the view at the end of a path: 0, or -1 with Berror. */
static int follow(UBFH *p_ub, const BFLDID *path, BVIEWFLD *ret_field)
{
	const struct ow_ubf_ent *e;
	const struct ow_view *view;
	struct ow_ubf_leaf leaf;

	if (ow_ubf_path_follow(p_ub, path, &leaf) < 0)
		return -1;
	if (ow_ubf_id_type(leaf.id) != BFLD_VIEW)
		return ow_ubf_fail(BEBADOP, "path: field %s is not a view",
				   ow_fldtext(leaf.id).s);
	e = ow_ubf_locate(leaf.p, leaf.id, leaf.occ);
	if (e == NULL)
		return ow_ubf_notpres(leaf.id, leaf.occ);
	if (ow_ubf_view_open(ow_ubf_entry_val(leaf.p, BFLD_VIEW, e), ret_field,
			     &view) < 0)
		return ow_ubf_fail_errno(-ENXIO, "path");
	if (ret_field->vname[0] == '\0')
		return ow_ubf_fail(BBADVIEW, "path: the view is empty");
	return 0;
}

int CBvgetr(UBFH *p_ub, BFLDID *fldidocc, char *cname, BFLDOCC occ, char *buf,
	    BFLDLEN *buflen, int usrtype, long flags)
{
	BVIEWFLD f;

	return follow(p_ub, fldidocc, &f) < 0
		       ? -1
		       : CBvget(f.data, f.vname, cname, occ, buf, buflen,
				usrtype, flags);
}

char *CBvgetallocr(UBFH *p_ub, BFLDID *fldidocc, char *cname, BFLDOCC occ,
		   int usrtype, long flags, BFLDLEN *extralen)
{
	BVIEWFLD f;

	return follow(p_ub, fldidocc, &f) < 0
		       ? NULL
		       : CBvgetalloc(f.data, f.vname, cname, occ, usrtype,
				     flags, extralen);
}

int Bvnullr(UBFH *p_ub, BFLDID *fldidocc, char *cname, BFLDOCC occ)
{
	BVIEWFLD f;

	return follow(p_ub, fldidocc, &f) < 0
		       ? -1
		       : Bvnull(f.data, cname, occ, f.vname);
}

int CBvgetrv(UBFH *p_ub, char *cname, BFLDOCC occ, char *buf, BFLDLEN *buflen,
	     int usrtype, long flags, ...)
{
	BFLDID path[OW_UBF_PATH_MAX];
	va_list ap;
	int r;

	va_start(ap, flags);
	r = ow_ubf_path_collect(ap, path);
	va_end(ap);
	return r < 0 ? -1 : CBvgetr(p_ub, path, cname, occ, buf, buflen,
				    usrtype, flags);
}

char *CBvgetallocrv(UBFH *p_ub, char *cname, BFLDOCC occ, int usrtype,
		    long flags, BFLDLEN *extralen, ...)
{
	BFLDID path[OW_UBF_PATH_MAX];
	va_list ap;
	int r;

	va_start(ap, extralen);
	r = ow_ubf_path_collect(ap, path);
	va_end(ap);
	return r < 0 ? NULL : CBvgetallocr(p_ub, path, cname, occ, usrtype,
					   flags, extralen);
}

int Bvnullrv(UBFH *p_ub, char *cname, BFLDOCC occ, ...)
{
	BFLDID path[OW_UBF_PATH_MAX];
	va_list ap;
	int r;

	va_start(ap, occ);
	r = ow_ubf_path_collect(ap, path);
	va_end(ap);
	return r < 0 ? -1 : Bvnullr(p_ub, path, cname, occ);
}
