/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointers.c - the pointers in a buffer, for those who know what they are
 *
 * Pointers and embedded buffers are neighbours in the order of fields.
 */
#include "libubf/pointers.h"

#include "libubf/buffer.h"
#include "libubf/value.h"

#define FIRST_ID(type) ((BFLDID)((type) << OW_UBF_TYPE_SHIFT | 1))

void ow_ubf_each_pointer(UBFH *p_ub, void (*fn)(void *ctx, void **pointer),
			 void *ctx)
{
	uint32_t i = ow_ubf_lower(p_ub, FIRST_ID(BFLD_PTR));
	uint32_t end = ow_ubf_lower(p_ub, FIRST_ID(BFLD_VIEW));
	unsigned int type;
	void *pointer, *value;

	for (; i < end; i++) {
		type = ow_ubf_id_type(ow_ubf_id_at(p_ub, i));
		value = (void *)ow_ubf_val_at(p_ub, type, i).data;
		if (type == BFLD_UBF) {
			ow_ubf_each_pointer(value, fn, ctx);
			continue;
		}
		memcpy(&pointer, value, sizeof(pointer));
		fn(ctx, &pointer);
		memcpy(value, &pointer, sizeof(pointer));
	}
}
