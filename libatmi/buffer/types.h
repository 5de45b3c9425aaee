/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.h - buffer types: their names and their least sizes
 *
 * A type can have several names, by which tpalloc() knows it, and has one that
 * tptypes() returns.
 */
#ifndef OW_BUF_TYPES_H
#define OW_BUF_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "libatmi/wire/msg.h"

#define OW_BUF_SIZE_MIN	    512	 /* of STRING, CARRAY, JSON */
#define OW_BUF_SIZE_MIN_UBF 1024 /* of UBF and VIEW */

/* The name that tptypes() returns; NULL: there is no such type. */
extern const char *const ow_buf_names[OW_BUF_TYPE_END];

/* The least size of a buffer: smaller requests are rounded up. */
static inline size_t ow_buf_size_min(enum ow_buf_type type)
{
	return type == OW_BUF_UBF || type == OW_BUF_VIEW ? OW_BUF_SIZE_MIN_UBF
							 : OW_BUF_SIZE_MIN;
}

/* The type that tpalloc() calls `name`; -1: there is none. */
int ow_buf_type_find(const char *name);

#endif
