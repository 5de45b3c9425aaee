/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enter.c - refuse what is not a buffer or not a field id
 */
#include "libubf/access/enter.h"

int ow_ubf_refuse(const struct Ubfh *h)
{
	if (h != NULL && (uintptr_t)h % OW_UBF_ALIGN != 0)
		return ow_ubf_fail(BALIGNERR, "buffer %p is not at a multiple "
				   "of %u", (const void *)h, OW_UBF_ALIGN);
	return ow_ubf_fail(BNOTFLD, h == NULL ? "the buffer is NULL"
				    : h->magic == 0 ? "not a UBF buffer, or "
						      "one that was freed"
						    : "not a UBF buffer");
}

int ow_ubf_bad_id(BFLDID id)
{
	return ow_ubf_fail(BBADFLD, "%d is not a field id (type %u, number %d)",
			   id, ow_ubf_id_type(id), id & OW_UBF_NUMBER_MAX);
}
