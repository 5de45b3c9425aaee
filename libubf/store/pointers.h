/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointers.h - visit the fields of type BFLD_PTR
 *
 * Exported for libatmi; not part of the public interface.
 */
#ifndef OW_UBF_POINTERS_H
#define OW_UBF_POINTERS_H

#include <ubf.h>

#include "libubf/store/layout.h"

/* Call `fn` for each field of type BFLD_PTR, also in embedded buffers. It may
 * change the pointer. Costs nothing if there are none. */
void ow_ubf_each_pointer(UBFH *p_ub, void (*fn)(void *ctx, void **pointer),
			 void *ctx);

/* Whether there may be such fields: 1 if there are pointers or embedded
 * buffers. In the order of ids they are neighbours. */
static inline int ow_ubf_points(const UBFH *p_ub)
{
	return ow_ubf_start(p_ub, BFLD_PTR) < ow_ubf_start(p_ub, BFLD_VIEW);
}

#endif
