/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_get.h - read a member of a structure, wherever it lies
 *
 * For the public functions on structures and on views in buffers: these set
 * Berror themselves, in the same words for both.
 */
#ifndef OW_UBF_VIEW_GET_H
#define OW_UBF_VIEW_GET_H

#include "libubf/view.h"

/* The caller's type, and BVACCESS_NOTNULL or 0. */
struct ow_view_want {
	int usrtype;
	long flags;
};

/* -1 or NULL with Berror on failure. */
int ow_view_get(const struct ow_view_at *at, BFLDOCC occ,
		const struct ow_view_want *want, char *buf, BFLDLEN *buflen);
char *ow_view_getalloc(const struct ow_view_at *at, BFLDOCC occ,
		       const struct ow_view_want *want, BFLDLEN *extralen);
/* 1, 0, or -1 with Berror. */
int ow_view_null(const struct ow_view_at *at, BFLDOCC occ);

#endif
