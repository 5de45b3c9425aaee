/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fml.c - functions kept for programs written for FML
 *
 * A buffer has no index to build, and FML and FML32 buffers are the same.
 */
#include "libubf/access/enter.h"

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

/* Values for programs that do not look whether the field is there. */
long ndrx_Fvall(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ)
{
	int type = Bfldtype(bfldid);
	char *v = Bfind(p_ub, bfldid, occ, NULL);

	if (v != NULL && type == BFLD_LONG)
		return *(long *)(void *)v;
	if (v != NULL && type == BFLD_SHORT)
		return *(short *)(void *)v;
	if (v != NULL)
		(void)ow_ubf_fail(BTYPERR, "Fvall: the field is of type %s, "
				  "not long or short", Btype(bfldid));
	return 0;
}

char *ndrx_Fvals(UBFH *p_ub, BFLDID bfldid, BFLDOCC occ)
{
	static char none[1];
	char *v = Bfind(p_ub, bfldid, occ, NULL);

	if (v != NULL && Bfldtype(bfldid) == BFLD_STRING)
		return v;
	if (v != NULL)
		(void)ow_ubf_fail(BTYPERR, "Fvals: the field is of type %s, "
				  "not string", Btype(bfldid));
	return none;
}

/* The bytes of a buffer are a buffer anywhere. */
int Bmove(char *dest, UBFH *src)
{
	if (ow_ubf_enter(src) < 0)
		return -1;
	if (dest == NULL)
		return ow_ubf_fail(BEINVAL, "Bmove: no memory");
	memmove(dest, src, (size_t)Bsizeof(src));
	return 0;
}

int B16to32(UBFH *dst, UBFH *src)
{
	return Bcpy(dst, src);
}

int B32to16(UBFH *dst, UBFH *src)
{
	return Bcpy(dst, src);
}
