/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.c - Bgetr, Bfindr, Bpresr...: fields of embedded buffers
 *
 * A path is FLDID, OCC, FLDID, OCC, ..., BBADFLDOCC. All but the last pair
 * lead into an embedded buffer, where the plain function does the rest.
 */
#include "libubf/access/path.h"

#include "libubf/tables/fldtext.h"
#include "libubf/access/value.h"

/* Step into an embedded buffer: 0, or -1 with Berror. */
static int descend(struct ow_ubf_leaf *at)
{
	if (ow_ubf_id_type(at->id) != BFLD_UBF)
		return ow_ubf_fail(BEBADOP, "path: field %s is not a buffer",
				   ow_fldtext(at->id).s);
	at->p = (UBFH *)Bfind(at->p, at->id, at->occ, NULL);
	return at->p == NULL ? -1 : 0;
}

int ow_ubf_path_follow(UBFH *p_ub, const BFLDID *path,
		       struct ow_ubf_leaf *ret_leaf)
{
	struct ow_ubf_leaf at = { p_ub, 0, 0 };
	int i;

	if (ow_ubf_enter(p_ub) < 0)
		return -1;
	if (path == NULL)
		return ow_ubf_fail(BEINVAL, "path: is NULL");
	for (i = 0; i == 0 || path[i] != BBADFLDOCC; i += 2) {
		if (i > 0 && descend(&at) < 0)
			return -1;
		if (!ow_ubf_id_ok(path[i]) || path[i + 1] < 0)
			return ow_ubf_fail(BBADFLD, "path: field %d "
					   "occurrence %d", path[i],
					   path[i] == BBADFLDOCC ? -1
								 : path[i + 1]);
		at.id = path[i];
		at.occ = path[i + 1];
	}
	*ret_leaf = at;
	return 0;
}

int ow_ubf_path_collect(va_list ap, BFLDID *path)
{
	int i;

	for (i = 0; i < OW_UBF_PATH_MAX; i++) {
		path[i] = va_arg(ap, BFLDID);
		if (path[i] == BBADFLDOCC)
			return 0;
	}
	return ow_ubf_fail(BEINVAL, "path: longer than %d", OW_UBF_PATH_MAX);
}

int Bgetr(UBFH *p_ub, BFLDID *fldidocc, char *buf, BFLDLEN *buflen)
{
	struct ow_ubf_leaf at;

	if (ow_ubf_path_follow(p_ub, fldidocc, &at) < 0)
		return -1;
	return Bget(at.p, at.id, at.occ, buf, buflen);
}

int CBgetr(UBFH *p_ub, BFLDID *fldidocc, char *buf, BFLDLEN *buflen,
	   int usrtype)
{
	struct ow_ubf_leaf at;

	if (ow_ubf_path_follow(p_ub, fldidocc, &at) < 0)
		return -1;
	return CBget(at.p, at.id, at.occ, buf, buflen, usrtype);
}

char *CBgetallocr(UBFH *p_ub, BFLDID *fldidocc, int usrtype,
		  BFLDLEN *extralen)
{
	struct ow_ubf_leaf at;

	if (ow_ubf_path_follow(p_ub, fldidocc, &at) < 0)
		return NULL;
	return CBgetalloc(at.p, at.id, at.occ, usrtype, extralen);
}

char *Bfindr(UBFH *p_ub, BFLDID *fldidocc, BFLDLEN *p_len)
{
	struct ow_ubf_leaf at;

	if (ow_ubf_path_follow(p_ub, fldidocc, &at) < 0)
		return NULL;
	return Bfind(at.p, at.id, at.occ, p_len);
}

char *CBfindr(UBFH *p_ub, BFLDID *fldidocc, BFLDLEN *p_len, int usrtype)
{
	struct ow_ubf_leaf at;

	if (ow_ubf_path_follow(p_ub, fldidocc, &at) < 0)
		return NULL;
	return CBfind(at.p, at.id, at.occ, p_len, usrtype);
}

/* Like Bpres(): 0 without an error if the field is not present. */
int Bpresr(UBFH *p_ub, BFLDID *fldidocc)
{
	struct ow_ubf_leaf at;

	if (ow_ubf_path_follow(p_ub, fldidocc, &at) < 0) {
		if (Berror == BNOTPRES)
			ow_ubf_clear();
		return 0;
	}
	return Bpres(at.p, at.id, at.occ);
}

int Bgetrv(UBFH *p_ub, char *buf, BFLDLEN *buflen, ...)
{
	BFLDID path[OW_UBF_PATH_MAX];
	va_list ap;
	int r;

	va_start(ap, buflen);
	r = ow_ubf_path_collect(ap, path);
	va_end(ap);
	return r < 0 ? -1 : Bgetr(p_ub, path, buf, buflen);
}

int CBgetrv(UBFH *p_ub, char *buf, BFLDLEN *buflen, int usrtype, ...)
{
	BFLDID path[OW_UBF_PATH_MAX];
	va_list ap;
	int r;

	va_start(ap, usrtype);
	r = ow_ubf_path_collect(ap, path);
	va_end(ap);
	return r < 0 ? -1 : CBgetr(p_ub, path, buf, buflen, usrtype);
}

char *CBgetallocrv(UBFH *p_ub, int usrtype, BFLDLEN *extralen, ...)
{
	BFLDID path[OW_UBF_PATH_MAX];
	va_list ap;
	int r;

	va_start(ap, extralen);
	r = ow_ubf_path_collect(ap, path);
	va_end(ap);
	return r < 0 ? NULL : CBgetallocr(p_ub, path, usrtype, extralen);
}

char *Bfindrv(UBFH *p_ub, BFLDLEN *p_len, ...)
{
	BFLDID path[OW_UBF_PATH_MAX];
	va_list ap;
	int r;

	va_start(ap, p_len);
	r = ow_ubf_path_collect(ap, path);
	va_end(ap);
	return r < 0 ? NULL : Bfindr(p_ub, path, p_len);
}

char *CBfindrv(UBFH *p_ub, BFLDLEN *p_len, int usrtype, ...)
{
	BFLDID path[OW_UBF_PATH_MAX];
	va_list ap;
	int r;

	va_start(ap, usrtype);
	r = ow_ubf_path_collect(ap, path);
	va_end(ap);
	return r < 0 ? NULL : CBfindr(p_ub, path, p_len, usrtype);
}

int Bpresrv(UBFH *p_ub, ...)
{
	BFLDID path[OW_UBF_PATH_MAX];
	va_list ap;
	int r;

	va_start(ap, p_ub);
	r = ow_ubf_path_collect(ap, path);
	va_end(ap);
	return r < 0 ? 0 : Bpresr(p_ub, path);
}
