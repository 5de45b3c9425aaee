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

int B16to32(UBFH *dst, UBFH *src)
{
	return Bcpy(dst, src);
}

int B32to16(UBFH *dst, UBFH *src)
{
	return Bcpy(dst, src);
}
