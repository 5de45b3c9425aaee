/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.h - follow a path of FLDID, OCC, ..., BBADFLDOCC to its last field
 */
#ifndef OW_UBF_PATH_H
#define OW_UBF_PATH_H

#include <stdarg.h>
#include <ubf.h>

#define OW_UBF_PATH_MAX 128	/* numbers in a variable argument list */

struct ow_ubf_leaf {
	UBFH *p;	/* the buffer that holds the field */
	BFLDID id;
	BFLDOCC occ;
};

/* Find the buffer, id and occurrence at the end of a path: 0, or -1 with
 * Berror. */
int ow_ubf_path_follow(UBFH *p_ub, const BFLDID *path,
		       struct ow_ubf_leaf *ret_leaf);
/* Copy variable arguments to an array of OW_UBF_PATH_MAX numbers: 0, or -1 with
 * Berror. */
int ow_ubf_path_collect(va_list ap, BFLDID *path);

#endif
