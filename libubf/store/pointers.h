/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointers.h - the pointers in a buffer, for those who know what they are
 *
 * Exported for libatmi; not part of the public interface.
 */
#ifndef OW_UBF_POINTERS_H
#define OW_UBF_POINTERS_H

#include <ubf.h>

#pragma GCC visibility push(default)

/* Call `fn` for each field of type BFLD_PTR, those of embedded buffers
 * included. It may set the pointer. Costs nothing if there are none. */
void ow_ubf_each_pointer(UBFH *p_ub, void (*fn)(void *ctx, void **pointer),
			 void *ctx);

/* Whether there may be such fields: there are some, or embedded buffers. */
int ow_ubf_points(const UBFH *p_ub);

#pragma GCC visibility pop

#endif
