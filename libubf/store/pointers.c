/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointers.c - visit the fields of type BFLD_PTR
 *
 * In the order of ids, pointers and embedded buffers are neighbours.
 */
#include "libubf/store/pointers.h"

#include "libubf/store/layout.h"

void ow_ubf_each_pointer(UBFH *p_ub, void (*fn)(void *ctx, void **pointer),
			 void *ctx)
{
	uint32_t i = ow_ubf_start(p_ub, BFLD_PTR);
	uint32_t end = ow_ubf_start(p_ub, BFLD_VIEW);
	void *pointer, *before, *value;
	unsigned int type;

	for (; i < end; i++) {
		type = ow_ubf_id_type(ow_ubf_id_at(p_ub, i));
		value = (void *)ow_ubf_val_at(p_ub, type, i).data;
		if (type == BFLD_UBF) {
			ow_ubf_each_pointer(value, fn, ctx);
			continue;
		}
		memcpy(&pointer, value, sizeof(pointer));
		before = pointer;
		fn(ctx, &pointer);
		if (pointer != before)
			memcpy(value, &pointer, sizeof(pointer));
	}
}
