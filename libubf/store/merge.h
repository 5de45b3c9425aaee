/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h - bring the occurrences of one buffer into another
 */
#ifndef OW_UBF_MERGE_H
#define OW_UBF_MERGE_H

#include "libubf/store/layout.h"

/* What happens to the occurrences of src. */
enum ow_ubf_merge {
	OW_UBF_MERGE_UPDATE,	/* change those dst has, add the others */
	OW_UBF_MERGE_CONCAT,	/* add all behind those of dst */
	OW_UBF_MERGE_MATCHED,	/* change those dst has, ignore the others */
};

/* dst and src may be the same buffer. 0, -ENOSPC or -ENOMEM: dst has the fields
 * it had. */
int ow_ubf_merge(struct Ubfh *dst, const struct Ubfh *src,
		 enum ow_ubf_merge how);

#endif
