/* SPDX-License-Identifier: Apache-2.0 */
/*
 * val.h - the bytes of one value
 */
#ifndef OW_UBF_VAL_H
#define OW_UBF_VAL_H

#include <stddef.h>

/* `len` includes the NUL of a string, but the NUL may be missing: readers do
 * not touch the last byte of a string, writers add it themselves. */
struct ow_ubf_val {
	const void *data;
	size_t len;
};

#endif
