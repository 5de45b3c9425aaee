/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - the order of two values of one type
 */
#ifndef OW_UBF_COMPARE_H
#define OW_UBF_COMPARE_H

#include <ubf.h>

#include "libubf/convert/compare.h"

/* The same for BFLD_UBF and BFLD_VIEW. */
int ow_ubf_compare_embedded(unsigned int type, struct ow_ubf_val a,
			    struct ow_ubf_val b);

/* -1, 0 or 1. Plain values as ow_ubf_compare_plain() has it, embedded buffers
 * as Bcmp() does, views by name, then by members. */
static inline int ow_ubf_compare(unsigned int type, struct ow_ubf_val a,
				 struct ow_ubf_val b)
{
	if (type >= BFLD_UBF)
		return ow_ubf_compare_embedded(type, a, b);
	return ow_ubf_compare_plain(type, a, b);
}

#endif
