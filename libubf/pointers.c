/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointers.c - the pointers in a buffer, for those who know what they are
 *
 * Pointers and embedded buffers are neighbours in the order of fields.
 */
#include "libubf/pointers.h"

#include "libubf/buffer.h"

#define FIRST_ID(type) ((BFLDID)((type) << OW_UBF_TYPE_SHIFT | 1))

void ow_ubf_each_pointer(UBFH *p_ub, void (*fn)(void *ctx, void **pointer),
			 void *ctx)
{
	const struct ow_ubf_ent *dir = ow_ubf_dir(p_ub);
	uint32_t i = ow_ubf_lower(p_ub, FIRST_ID(BFLD_PTR));
	uint32_t end = ow_ubf_lower(p_ub, FIRST_ID(BFLD_VIEW));
	void *pointer;
	char *value;

	for (; i < end; i++) {
		value = ow_ubf_value(p_ub, dir + i);
		if (ow_ubf_id_type((BFLDID)dir[i].id) == BFLD_UBF) {
			ow_ubf_each_pointer((UBFH *)value, fn, ctx);
			continue;
		}
		memcpy(&pointer, value, sizeof(pointer));
		fn(ctx, &pointer);
		memcpy(value, &pointer, sizeof(pointer));
	}
}
